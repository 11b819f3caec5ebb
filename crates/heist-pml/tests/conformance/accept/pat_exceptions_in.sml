(* Exception constructors in patterns of any match. *)
exception A of int
exception B of string * int
exception C
fun show (A 0) = "A zero" | show (A n) = "A " ^ Int.toString n
  | show (B (s, 1)) = s | show (B ("two", n)) = "two " ^ Int.toString n
  | show C = "C" | show (Fail m) = "Fail " ^ m | show Div = "Div" | show e = exnName e
val () = app (fn e => print (show e ^ "\n")) [A 0, A 5, B ("x", 1), B ("two", 9), B ("three", 3), C, Fail "f", Div, Subscript]
val e = if show C = "C" then A 3 else C
val n = case e of A n => n | _ => 0
val () = print (Int.toString n ^ "\n")
