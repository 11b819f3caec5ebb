(* The structure Option. *)
val some = SOME 4 and none : int option = NONE
fun show NONE = print "NONE " | show (SOME n) = print ("SOME " ^ Int.toString n ^ " ")
val () = (show (Option.map (fn x => x + 1) some); show (Option.map (fn x => x) none); show (Option.mapPartial (fn x => if x > 5 then SOME x else NONE) some))
val () = (show (Option.filter (fn x => x > 5) 4); show (Option.filter (fn x => x > 5) 6); show (Option.join (SOME some)); show (Option.compose (fn x => x * 2, fn x => SOME x) 21); show (Option.composePartial (fn _ => NONE, fn x => SOME x) 21))
val () = print (Int.toString (getOpt (some, 0) + getOpt (none, 10) + valOf some) ^ Bool.toString (isSome none) ^ "\n")
val () = Option.app (fn n => print (Int.toString n ^ "\n")) some
