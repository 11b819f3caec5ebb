(* datatype t = datatype u: the same type, its constructors in scope. *)
structure S = struct datatype colour = Red | Green | Blue of int fun code Red = 0 | code Green = 1 | code (Blue n) = n end
datatype colour = datatype S.colour
val c : S.colour = Blue 7
fun name Red = "red" | name Green = "green" | name (Blue _) = "blue"
datatype choice = datatype option
val x : int choice = SOME 3
val () = print (name c ^ Int.toString (S.code (Blue 5)) ^ Int.toString (valOf x) ^ "\n")
local
  datatype colour = Red of string
in
  val inner = Red "hidden"
  val text = case inner of Red s => s
end
val () = print (text ^ name Red ^ "\n")
