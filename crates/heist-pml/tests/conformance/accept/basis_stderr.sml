(* Standard error is separate from standard output. *)
val () = TextIO.output (TextIO.stdErr, "complaint\n")
val () = print "out\n"
