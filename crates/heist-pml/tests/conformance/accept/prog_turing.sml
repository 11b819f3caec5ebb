(* A Turing machine with a zipper for its tape: the busy beaver of four states. *)
datatype move = L | R
datatype state = A | B | C | D | H
fun rule (A, 0) = (1, R, B) | rule (A, _) = (1, L, B) | rule (B, 0) = (1, L, A) | rule (B, _) = (0, L, C)
  | rule (C, 0) = (1, R, H) | rule (C, _) = (1, L, D) | rule (D, 0) = (1, R, D) | rule (D, _) = (0, R, A) | rule (H, x) = (x, R, H)
fun move (L, (l :: ls, x, rs)) = (ls, l, x :: rs) | move (L, ([], x, rs)) = ([], 0, x :: rs)
  | move (R, (ls, x, r :: rs)) = (x :: ls, r, rs) | move (R, (ls, x, [])) = (x :: ls, 0, [])
fun run (H, (ls, x, rs), n) = (n, foldl op + 0 (ls @ x :: rs))
  | run (s, (ls, x, rs), n) = let val (y, m, s') = rule (s, x) in run (s', move (m, (ls, y, rs)), n + 1) end
val (steps, ones) = run (A, ([], 0, []), 0)
val () = print (Int.toString steps ^ " steps, " ^ Int.toString ones ^ " ones\n")
