(* OS.Process.exit ends the program, and flushes the output. *)
val () = OS.Process.atExit (fn () => print "at exit\n")
val () = print "no newline before the end, "
val _ = (OS.Process.exit OS.Process.success; print "never\n")
