(* structure ... and ...; signatures and functors with "and". *)
signature A = sig val a : int end and B = sig val b : string end
structure X : A = struct val a = 1 end and Y : B = struct val b = "y" end
val a = 5
structure P = struct val q = a end and Q = struct val a = 6 end
functor F (Z : A) = struct val r = Z.a + 1 end and G (Z : B) = struct val r = Z.b ^ "g" end
structure FX = F (X) and GY = G (Y)
val () = print (Int.toString (X.a + P.q + Q.a + FX.r) ^ Y.b ^ GY.r ^ "\n")
