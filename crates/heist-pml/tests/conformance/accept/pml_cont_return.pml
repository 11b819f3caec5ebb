(* A continuation may have any name, also that of a word for what it does. *)
val x = let cont return x = x + 1 in Scheduler.throw return 3 end
val () = print (Int.toString x ^ "\n")
