(* A datatype that is private to a structure's let, and that its exported functions use. *)
structure Calc = let
    datatype op' = Plus | Minus
    fun apply (Plus, a, b) = a + b | apply (Minus, a, b) = a - b
    val table = [("+", Plus), ("-", Minus)]
  in struct
    fun eval (s, a, b) = case List.find (fn (t, _) => s = t) table of SOME (_, f) => SOME (apply (f, a, b)) | NONE => NONE
  end end
val () = print (Int.toString (valOf (Calc.eval ("+", 40, 2)) + valOf (Calc.eval ("-", 1, 3))) ^ Bool.toString (isSome (Calc.eval ("*", 1, 1))) ^ "\n")
