(* A continuation may have any name. An exception of its body is an exception of the `let`. *)
exception E of int
val x = let cont return x = x + 1 in Scheduler.throw return 3 end
val y = let cont k x = raise E x in Scheduler.throw k 7 end handle E x => x
val z = let cont k x = x + 1 in raise E 9 end handle E x => x
val () = List.app (fn n => print (Int.toString n ^ "\n")) [x, y, z]
