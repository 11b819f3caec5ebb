(* What the parameter's signature hides, the body cannot see, though the argument has it. *)
val x = "outer"
functor F (A : sig val y : int end) = struct open A val seen = x ^ Int.toString y end
structure R = F (struct val x = "inner" val y = 1 end)
val () = print (R.seen ^ "\n")
