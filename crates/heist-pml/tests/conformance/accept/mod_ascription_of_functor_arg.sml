(* If the parameter's signature hides a member, the body cannot see it, although the argument has it. *)
val x = "outer"
functor F (A : sig val y : int end) = struct open A val seen = x ^ Int.toString y end
structure R = F (struct val x = "inner" val y = 1 end)
val () = print (R.seen ^ "\n")
