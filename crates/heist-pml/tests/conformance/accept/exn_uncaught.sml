(* An unhandled exception ends the program after its output. *)
exception Broken of string
val () = print "before"
val () = raise Broken "payload"
val () = print "never"
