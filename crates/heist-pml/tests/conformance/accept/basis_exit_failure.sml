(* OS.Process.exit failure gives the exit code 1. *)
val () = print "going"
val _ = if true then OS.Process.exit OS.Process.failure else ()
val () = print "never"
