fun say s = print (s ^ "\n")
fun try f = (say (f ())) handle e => say ("raises " ^ exnName e)
val bool = Bool.toString
val int = Int.toString
val r = Real.toString
fun order LESS = "LESS" | order EQUAL = "EQUAL" | order GREATER = "GREATER"
open StringCvt
val inf = Real.posInf
val nan = inf - inf
val () = app (fn x => try (fn () => r x))
  [ 1.0, 1e30, 100000.0, 1e10, 1e11, 123456789012.0, 1234567890123.0, 1e12, 1e~5, 0.0001, 0.001, 123.456, 1.0 / 3.0, 2.0 / 3.0 * 1e10
  , ~0.0, 0.0, 1e~10, 1.5e~7, 1e100, 0.1 + 0.2, 12345.678e~20, inf, ~ inf, nan, 1e~6, 1.2345e~6, 3.14159265358979, 2.5, ~17.25, 1e300 * 10.0 ]
val values = [0.0, 1.0, ~1.5, 123.456, 99999.5, 1e~3, 1234567.0, 0.05, 2.5, 3.5, 1e21, inf, nan]
fun fmts f = app (fn x => try (fn () => Real.fmt f x)) values
val () = app fmts [SCI NONE, FIX NONE, GEN NONE, EXACT, SCI (SOME 0), FIX (SOME 0), GEN (SOME 1), SCI (SOME 3), FIX (SOME 3), GEN (SOME 3), FIX (SOME 15), SCI (SOME 12), GEN (SOME 17)]
val () = try (fn () => Real.fmt (SCI (SOME ~1)) 1.0)
val () = try (fn () => Real.fmt (FIX (SOME ~1)) 1.0)
val () = try (fn () => Real.fmt (GEN (SOME 0)) 1.0)
fun f s = try (fn () => case Real.fromString s of NONE => "NONE" | SOME x => r x)
val () = app f ["1.", "1.e5", ".5", "1e", "  12.5e~3x", "~1E+3", "1..2", "0x12", ".", "1.5e400", "", "abc", "-2.5", "+2.5", "1e-400", "00012", "1e5.5", "~", "e5"]
val () = try (fn () => String.concatWith " " (map int [floor 2.5, floor ~2.5, ceil 2.5, ceil ~2.5, trunc 2.5, trunc ~2.5, round 2.5, round 3.5, round ~2.5, round ~3.5, round 2.4, round 2.6]))
val () = try (fn () => int (floor inf))
val () = try (fn () => int (floor nan))
val () = try (fn () => int (round 1e30))
val () = try (fn () => int (trunc ~1e30))
val () = try (fn () => String.concatWith " " (map r [Real.realFloor 2.5, Real.realCeil ~2.5, Real.realTrunc ~2.5, Real.realRound 2.5, Real.realRound 3.5]))
val () = try (fn () => String.concatWith " " (map int [Real.toInt IEEEReal.TO_NEAREST 2.5, Real.toInt IEEEReal.TO_NEGINF ~2.5, Real.toInt IEEEReal.TO_POSINF 2.1, Real.toInt IEEEReal.TO_ZERO ~2.9]))
val () = try (fn () => IntInf.toString (Real.toLargeInt IEEEReal.TO_NEAREST 1e20) ^ " " ^ IntInf.toString (Real.toLargeInt IEEEReal.TO_ZERO ~1e25))
val () = try (fn () => IntInf.toString (Real.toLargeInt IEEEReal.TO_NEAREST inf))
val () = try (fn () => IntInf.toString (Real.toLargeInt IEEEReal.TO_NEAREST nan))
val () = try (fn () => r (real 5) ^ r (Real.fromInt ~7) ^ r (Real.fromLargeInt (IntInf.pow (10, 30))))
val () = try (fn () => String.concatWith " " (map r [1.5 + 2.25, 1.5 - 2.25, 1.5 * 2.0, 1.0 / 4.0, 1.0 / 0.0, ~1.0 / 0.0, ~ 2.5, abs ~2.5, Real.rem (7.5, 2.0), Real.rem (~7.5, 2.0)]))
val () = try (fn () => String.concatWith " " (map r [Real.*+ (2.0, 3.0, 4.0), Real.*- (2.0, 3.0, 4.0), Real.min (1.0, 2.0), Real.max (1.0, 2.0), Real.min (nan, 2.0), Real.max (1.0, nan)]))
val () = try (fn () => String.concatWith " " (map bool [1.0 < 2.0, 1.0 <= nan, nan > 1.0, 2.0 >= 2.0, Real.== (1.0, 1.0), Real.== (nan, nan), Real.!= (nan, nan), Real.?= (nan, 1.0), Real.?= (2.0, 1.0), Real.== (0.0, ~0.0)]))
val () = try (fn () => String.concatWith " " (map int [Real.sign 2.0, Real.sign ~2.0, Real.sign 0.0, Real.sign ~0.0]))
val () = try (fn () => int (Real.sign nan))
val () = try (fn () => String.concatWith " " (map bool [Real.signBit ~0.0, Real.signBit 1.0, Real.sameSign (1.0, ~1.0), Real.isFinite 1.0, Real.isFinite inf, Real.isNan nan, Real.isNan 1.0, Real.isNormal 1.0, Real.isNormal 0.0, Real.isNormal 1e~310, Real.unordered (1.0, nan)]))
val () = try (fn () => r (Real.copySign (2.0, ~0.0)) ^ r (Real.copySign (~2.0, 1.0)))
val () = try (fn () => order (Real.compare (1.0, 2.0)) ^ order (Real.compare (2.0, 2.0)) ^ order (Real.compare (inf, 2.0)))
val () = try (fn () => order (Real.compare (1.0, nan)))
val () = try (fn () => case Real.compareReal (1.0, nan) of IEEEReal.UNORDERED => "UNORDERED" | IEEEReal.LESS => "LESS" | _ => "other")
fun class c = case c of IEEEReal.NAN => "NAN" | IEEEReal.INF => "INF" | IEEEReal.ZERO => "ZERO" | IEEEReal.NORMAL => "NORMAL" | IEEEReal.SUBNORMAL => "SUBNORMAL"
val () = app (fn x => try (fn () => class (Real.class x))) [nan, inf, ~ inf, 0.0, ~0.0, 1.0, 1e~310]
val () = app (fn x => try (fn () => let val {man, exp} = Real.toManExp x in r man ^ " " ^ int exp end)) [1.0, ~3.0, 0.1, 1e300, 1e~310]
val () = try (fn () => r (Real.fromManExp {man = 0.75, exp = 3}) ^ " " ^ r (Real.fromManExp {man = 1.0, exp = 2000}) ^ " " ^ r (Real.fromManExp {man = 1.0, exp = ~2000}) ^ " " ^ r (Real.fromManExp {man = 1.0, exp = ~1074}))
val () = app (fn x => try (fn () => let val {whole, frac} = Real.split x in r whole ^ " " ^ r frac end)) [2.5, ~2.5, 3.0, ~0.25, inf]
val () = try (fn () => r (Real.realMod ~2.25))
val () = app (fn (a, b) => try (fn () => Real.fmt (SCI (SOME 17)) (Real.nextAfter (a, b)))) [(1.0, 2.0), (1.0, 0.0), (~1.0, 0.0), (~1.0, ~2.0), (0.0, 1.0), (0.0, ~1.0), (1.0, 1.0), (inf, 0.0)]
val () = try (fn () => r (Real.checkFloat 1.5))
val () = try (fn () => r (Real.checkFloat inf))
val () = try (fn () => r (Real.checkFloat nan))
val () = try (fn () => r Real.maxFinite ^ " " ^ r Real.minPos ^ " " ^ r Real.minNormalPos ^ " " ^ int Real.radix ^ " " ^ int Real.precision)
fun decimal x = let val {class = c, sign, digits, exp} = Real.toDecimal x in class c ^ bool sign ^ concat (map int digits) ^ "e" ^ int exp end
val () = app (fn x => try (fn () => decimal x)) [1.0, ~123.456, 0.1, 1e22, 1e~310, 0.0]
val () = try (fn () => case Real.fromDecimal {class = IEEEReal.NORMAL, sign = true, digits = [1, 2, 5], exp = 2} of SOME x => r x | NONE => "NONE")
val () = try (fn () => IEEEReal.toString {class = IEEEReal.NORMAL, sign = true, digits = [1, 2, 5], exp = 2} ^ IEEEReal.toString {class = IEEEReal.INF, sign = false, digits = [], exp = 0})
val () = try (fn () => case IEEEReal.fromString "  ~012.50e3" of SOME {class = c, sign, digits, exp} => class c ^ bool sign ^ concat (map int digits) ^ "e" ^ int exp | NONE => "NONE")
fun six x = Real.fmt (GEN (SOME 10)) x
open Math
val () = try (fn () => String.concatWith " " (map six [pi, e, sqrt 2.0, sin 1.0, cos 1.0, tan 1.0, asin 0.5, acos 0.5, atan 1.0, atan2 (~1.0, ~1.0), exp 1.5, pow (2.0, 0.5), ln 10.0, log10 1000.0, sinh 1.0, cosh 1.0, tanh 1.0]))
val () = try (fn () => String.concatWith " " (map six [sqrt ~1.0, ln 0.0, ln ~1.0, pow (0.0, 0.0), pow (nan, 0.0), pow (2.0, ~1.0), asin 2.0, exp 1000.0]))
