fun say s = print (s ^ "\n")
val () = say (exnName Div ^ exnName (Fail "x") ^ exnName Subscript ^ exnName Size ^ exnName Empty)
val () = say (exnMessage Div)
exception Own of int
val () = say (exnName (Own 3))
val () = say (Int.toString (1 before ()))
val () = ignore (say "ignored")
val f = (fn x => x + 1) o (fn x => x * 2)
val () = say (Int.toString (f 5))
val r = ref 1
val () = r := !r + 1
val () = say (Int.toString (!r))
val () = say (Bool.toString (not true) ^ Bool.toString (not false))
fun bool s = say (case Bool.fromString s of NONE => "NONE" | SOME b => Bool.toString b)
val () = app bool ["true", "false", "  TRUEx", "False ", "tru", "", "no"]
val () = say (Int.toString (getOpt (SOME 1, 2)) ^ Int.toString (getOpt (NONE, 2)))
val () = say (Bool.toString (isSome (SOME 1)) ^ Int.toString (valOf (SOME 3)))
val () = (valOf (NONE : int option); ()) handle Option => say "Option"
fun opt NONE = say "NONE" | opt (SOME i) = say (Int.toString i)
val () = opt (Option.filter (fn x => x > 1) 1)
val () = opt (Option.filter (fn x => x > 1) 2)
val () = opt (Option.join (SOME (SOME 1)))
val () = opt (Option.join (SOME NONE))
val () = Option.app (fn i => opt (SOME i)) (SOME 4)
val () = opt (Option.map (fn x => x + 1) (SOME 4))
val () = opt (Option.mapPartial (fn x => if x > 4 then SOME x else NONE) (SOME 4))
val () = opt (Option.compose (fn x => x + 1, fn x => SOME x) 7)
val () = opt (Option.composePartial (fn x => NONE, fn x => SOME (x : int)) 7)
val () = say (case General.EQUAL of EQUAL => "EQUAL" | _ => "other")
val () = (raise Fail "text") handle Fail s => say s
val () = (raise General.Chr) handle Chr => say "Chr"
