(* Nested if and case; the last rule includes everything after it. *)
fun sign n = if n < 0 then ~1 else if n = 0 then 0 else 1
fun classify (x, y) =
  case (sign x, sign y) of
    (0, 0) => "origin"
  | (0, _) => "y axis"
  | (_, 0) => "x axis"
  | (a, b) => (case a * b of 1 => "odd quadrant" | ~1 => "even quadrant" | _ => "?")
val () = app (fn p => print (classify p ^ "\n")) [(0, 0), (0, 3), (~2, 0), (1, 1), (~1, 4)]
val n = case [1, 2] of x :: _ => if x = 1 then 10 else 20 | [] => 0
val () = print (Int.toString (n + (case n of 10 => 1 | _ => 2) * 3) ^ "\n")
