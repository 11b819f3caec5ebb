(* An unhandled exception ends the program, after what was printed. *)
exception Broken of string
val () = print "before"
val () = raise Broken "payload"
val () = print "never"
