(* Math, rounded so that the last bits do not matter. *)
fun p r = print (Real.fmt (StringCvt.FIX (SOME 6)) r ^ " ")
val () = (app p [Math.pi, Math.e, Math.sqrt 2.0, Math.sin 1.0, Math.cos 1.0, Math.tan 1.0, Math.asin 0.5, Math.acos 0.5, Math.atan 1.0, Math.atan2 (1.0, ~1.0), Math.exp 1.0, Math.ln 10.0, Math.log10 1000.0, Math.pow (2.0, 0.5), Math.sinh 1.0, Math.cosh 1.0, Math.tanh 1.0]; print "\n")
val () = print (Bool.toString (Real.isNan (Math.sqrt ~1.0)) ^ Bool.toString (Real.== (Math.ln 0.0, ~1.0 / 0.0)) ^ " " ^ Real.toString (Math.pow (0.0, 0.0)) ^ "\n")
