(* Sorts a list by merging, with both halves in parallel. Argument: number of elements (600000). *)

fun split (n, xs, front) =
  if n = 0 then (front, xs) else case xs of x :: rest => split (n - 1, rest, x :: front) | [] => (front, [])

fun merge ([], ys) = ys
  | merge (xs, []) = xs
  | merge (xs as x :: xs', ys as y :: ys') =
      if x <= (y : int) then x :: merge (xs', ys) else y :: merge (xs, ys')

fun sort (n, xs) =
  if n < 2 then
    xs
  else
    let
      val half = n div 2
      val (front, back) = split (half, xs, [])
    in
      merge (| sort (half, front), sort (n - half, back) |)
    end

fun numbers (0, _, done) = done
  | numbers (k, seed, done) =
      let val next = (seed * 1103515245 + 12345) mod 2147483648
      in numbers (k - 1, next, next div 64 :: done)
      end

fun sorted (x :: (rest as y :: _)) = x <= (y : int) andalso sorted rest
  | sorted _ = true

fun main () =
  let
    val n = case CommandLine.arguments () of s :: _ => valOf (Int.fromString s) | [] => 600000
    val ys = sort (n, numbers (n, 42, []))
  in
    print (Int.toString (length ys) ^ " numbers, " ^ (if sorted ys then "sorted\n" else "NOT SORTED\n"))
  end

val () = main ()
