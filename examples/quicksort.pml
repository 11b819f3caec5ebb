(* Quicksort of a parallel array. It filters the three parts in parallel, and sorts two of them in parallel.
   Argument: number of elements (1000000). *)

fun quicksort xs =
  if lengthP xs <= 1 then
    xs
  else
    let
      val p = subP (xs, lengthP xs div 2)
      val (lt, eq, gt) =
        (| quicksort (filterP (fn x => x < p) xs),
           filterP (fn x => x = p) xs,
           quicksort (filterP (fn x => x > p) xs) |)
    in
      concatP [lt, eq, gt]
    end

(* Returns random numbers. *)
fun numbers n =
  let
    fun random k = (k * 1103515245 + 12345) mod 2147483648
  in
    [| random (random k) div 64 | k in [| 1 to n |] |]
  end

fun sorted xs = PArray.all (fn i => subP (xs, i) <= subP (xs, i + 1)) (range (0, lengthP xs - 2))

fun main () =
  let
    val n = case CommandLine.arguments () of s :: _ => valOf (Int.fromString s) | [] => 1000000
    val ys = quicksort (numbers n)
    fun at i = Int.toString (subP (ys, i))
  in
    print
      (Int.toString (lengthP ys) ^ " numbers, " ^ (if sorted ys then "sorted" else "NOT SORTED")
         ^ "\n");
    if n > 0 then
      print ("least " ^ at 0 ^ ", middle " ^ at (n div 2) ^ ", greatest " ^ at (n - 1) ^ "\n")
    else
      ()
  end

val () = main ()
