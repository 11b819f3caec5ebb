(* Arrays changed in place: quicksort, binary search, rotation, prefix sums. *)
fun swap (a, i, j) = let val t = Array.sub (a, i) in Array.update (a, i, Array.sub (a, j)); Array.update (a, j, t) end
fun sort (a, lo, hi) =
  if lo >= hi then () else
  let val p = Array.sub (a, (lo + hi) div 2)
      fun up i = if Array.sub (a, i) < p then up (i + 1) else i
      fun down j = if Array.sub (a, j) > p then down (j - 1) else j
      fun part (i, j) = let val i = up i val j = down j in if i <= j then (swap (a, i, j); part (i + 1, j - 1)) else (i, j) end
      val (i, j) = part (lo, hi)
  in sort (a, lo, j); sort (a, i, hi) end
fun search (a, x) = let fun go (lo, hi) = if lo > hi then NONE else let val m = (lo + hi) div 2 in case Int.compare (x, Array.sub (a, m)) of EQUAL => SOME m | LESS => go (lo, m - 1) | GREATER => go (m + 1, hi) end in go (0, Array.length a - 1) end
fun reverse (a, i, j) = if i < j then (swap (a, i, j); reverse (a, i + 1, j - 1)) else ()
val a = Array.tabulate (20, fn i => i * 37 mod 41)
val () = sort (a, 0, 19)
fun show a = print (String.concatWith " " (Array.foldr (fn (x, l) => Int.toString x :: l) [] a) ^ "\n")
val () = show a
val () = print (Int.toString (valOf (search (a, Array.sub (a, 13)))) ^ Bool.toString (isSome (search (a, 100))) ^ "\n")
val () = (reverse (a, 0, 4); reverse (a, 5, 19); reverse (a, 0, 19); show a)
val () = (Array.modifyi (fn (i, x) => if i = 0 then x else x + Array.sub (a, i - 1)) a; print (Int.toString (Array.sub (a, 19)) ^ "\n"))
