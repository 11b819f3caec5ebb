(* An unhandled exception of the Basis, raised inside a function, ends the program. *)
fun mean l = foldl op + 0 l div length l
val () = print (Int.toString (mean [1, 2, 3]) ^ "\n")
val () = print (Int.toString (mean []) ^ "\n")
