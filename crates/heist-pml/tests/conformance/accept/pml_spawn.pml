(* spawn evaluates an expression for its effect. *)
val r = ref 0
val () = spawn (r := !r + 5)
val u : unit = spawn (print "spawned\n")
val () = print (Int.toString (!r) ^ "\n")
