(* Integer and word literals in all their notations. *)
val p = fn i => print (Int.toString i ^ "\n")
val w = fn w => print (Word.toString w ^ "\n")
val () = app p [0, ~0, 12, ~12, 0x1F, ~0xff, 0xABCdef, 007]
val () = app w [0w0, 0w255, 0wx10, 0wxdeadBEEF]
val () = print (Word8.toString 0wxFF ^ "\n")
val f = ~1
val () = p (3-f)
val () = p (3 - ~f)
val () = p (~ f)
