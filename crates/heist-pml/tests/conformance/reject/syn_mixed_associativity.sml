(* error: E0208 *)
infix 5 ++
infixr 5 **
fun a ++ b = a + b
fun a ** b = a * b
val x = 1 ++ 2 ** 3
