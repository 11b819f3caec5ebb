(* Reals as text: toString and the formats. *)
fun p s = print (s ^ " ")
val rs = [0.0, ~0.0, 1.0, 100.0, 1234567.0, 123456789012.0, 1234567890123.0, 1E15, 1.5E100, 0.1, 0.001, 0.0001, 1.0 / 3.0, 2.0 / 3.0, ~2.5E~7]
val () = (app (p o Real.toString) rs; print "\n")
val () = (app (p o Real.fmt (StringCvt.FIX (SOME 2))) [0.0, 1.005, 2.675, ~1.5, 1E10, 1E~9]; print "\n")
val () = (app (p o Real.fmt (StringCvt.SCI (SOME 3))) [0.0, 12345.678, ~0.00012, 1E100]; print "\n")
val () = (app (p o Real.fmt (StringCvt.GEN (SOME 4))) [12345.678, 0.00012345, 1E~10, 1234.7E20]; print "\n")
val () = (app (p o Real.fmt (StringCvt.FIX (SOME 0))) [0.4, 1.6, 2.4]; app (p o Real.fmt (StringCvt.FIX NONE)) [1.0, 0.5]; app (p o Real.fmt (StringCvt.SCI NONE)) [1.0, 250.0]; print "\n")
val () = (app (p o Real.toString) [1.0 / 0.0, ~1.0 / 0.0, 0.0 / 0.0]; print "\n")
fun opt NONE = "-" | opt (SOME r) = Real.toString r
val () = (app (p o opt o Real.fromString) ["1.5", "~2", "-2.5", "+.5", "1e3", "1E~3", "2.5e2x", "x", "3.", " 4.0"]; print "\n")
