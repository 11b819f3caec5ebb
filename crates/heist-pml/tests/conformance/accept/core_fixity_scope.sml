(* Infix declarations follow scope. *)
infix 6 plus
fun a plus b = a + b
infix 7 times
fun a times b = a * b
val a = 1 plus 2 times 3
local
  infix 8 plus
in
  val b = 1 plus 2 times 3
end
val c = 1 plus 2 times 3
val d = let nonfix plus times in plus (1, times (2, 3)) end
val e = let infixr 6 minus fun a minus b = a - b in 10 minus 5 minus 2 end
val () = print (String.concatWith " " (map Int.toString [a, b, c, d, e]) ^ "\n")
infix 3 or
fun a or b = a orelse b
val () = print (Bool.toString (false or 1 < 2) ^ "\n")
