(* Reals of 32 bits: operators and literals are overloaded for this type, too. *)
val third : Real32.real = 1.0 / 3.0
fun show r = print (Real32.fmt StringCvt.EXACT r ^ "\n")
val () = List.app show
  [ third, third * 3.0, Real32.maxFinite, Real32.minPos, Real32.minNormalPos, Real32.nextAfter (1.0, 2.0)
  , Real32.nextAfter (1.0, 0.0), Real32.fromInt 16777217, ~ third, abs (~ third) ]
val () = print (Real32.toString third ^ " " ^ Bool.toString (third < 0.5) ^ "\n")
val () = print (Real.toString (Real32.toLarge third) ^ " " ^ Int.toString Real32.precision ^ "\n")
fun down x = Real32.toLarge (Real32.fromLarge IEEEReal.TO_NEGINF x)
val () = print (Bool.toString (down 0.1 <= 0.1 andalso down ~0.1 <= ~0.1) ^ "\n")
functor Sum (R : REAL) =
struct
  fun sum l = R.toString (List.foldl R.+ (R.fromInt 0) l)
end
structure A = Sum (Real32) structure B = Sum (Real)
val () = print (A.sum [0.5, 0.25, 4.0] ^ " " ^ B.sum [0.5, 0.25, 4.0] ^ "\n")
