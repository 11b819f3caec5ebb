(* The sequential twin of quicksort.pml, after prelude.sml. *)

fun quicksort xs =
  if lengthP xs <= 1 then xs
  else
    let
      val p = subP (xs, lengthP xs div 2)
      val (lt, eq, gt) =
        (quicksort (filterP (fn x => x < p) xs),
           filterP (fn x => x = p) xs,
           quicksort (filterP (fn x => x > p) xs))
    in
      concatP [lt, eq, gt]
    end

(* Returns random numbers from a linear congruential generator. *)
fun numbers n =
  let
    fun go (0, _, done) = done
      | go (k, seed, done) =
          let val next = (seed * 1103515245 + 12345) mod 2147483648
          in go (k - 1, next, next div 64 :: done) end
  in
    fromListP (go (n, 42, []))
  end

fun sorted xs =
  let
    val n = lengthP xs
    fun from i = i + 1 >= n orelse (subP (xs, i) <= subP (xs, i + 1) andalso from (i + 1))
  in
    from 0
  end

fun main () =
  let
    val n = case CommandLine.arguments () of s :: _ => valOf (Int.fromString s) | [] => 1000000
    val ys = quicksort (numbers n)
    fun at i = Int.toString (subP (ys, i))
  in
    print (Int.toString (lengthP ys) ^ " numbers, " ^ (if sorted ys then "sorted" else "NOT SORTED") ^ "\n");
    if n > 0 then print ("least " ^ at 0 ^ ", middle " ^ at (n div 2) ^ ", greatest " ^ at (n - 1) ^ "\n") else ()
  end

val () = main ()
