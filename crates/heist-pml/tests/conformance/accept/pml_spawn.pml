(* With spawn, a thread evaluates an expression for its effect. *)
val r = ref 0
val adds = spawn (r := !r + 5)
val () = CML.sync (CML.joinEvt adds)
val prints : CML.thread_id = spawn (print "spawned\n")
val () = CML.sync (CML.joinEvt prints)
val () = print (Int.toString (!r) ^ "\n")
