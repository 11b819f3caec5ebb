(* Real: rounding, comparison, parts. *)
fun p r = print (Real.toString r ^ " ")
fun i n = print (Int.toString n ^ " ")
val () = (app (fn r => (i (floor r); i (ceil r); i (trunc r); i (round r))) [2.5, ~2.5, 3.5, 0.4, ~0.6]; print "\n")
val () = (app p [Real.realFloor ~1.5, Real.realCeil 1.2, Real.realTrunc ~1.7, Real.realRound 2.5, Real.abs ~3.0, Real.min (1.0, 2.0), Real.max (1.0, 2.0), Real.rem (7.5, 2.0), Real.copySign (2.0, ~1.0), real 3]; print "\n")
val {man, exp} = Real.toManExp 10.0 val {whole, frac} = Real.split ~3.75
val () = (p man; i exp; p whole; p frac; p (Real.fromManExp {man = 0.5, exp = 4}); i (Real.sign ~2.0); print "\n")
val nan = 0.0 / 0.0 val inf = 1.0 / 0.0
val () = app (fn b => print (Bool.toString b ^ " ")) [Real.isNan nan, Real.isFinite inf, Real.== (nan, nan), Real.!= (nan, nan), 1.0 < nan, Real.== (0.0, ~0.0), Real.signBit ~0.0, Real.?= (nan, 1.0), Real.unordered (nan, 1.0), Real.isNormal 1.0]
val () = print (case Real.compare (1.0, 2.0) of LESS => "L" | _ => "?")
val () = (ignore (Real.compare (nan, 1.0)); print "no\n") handle IEEEReal.Unordered => print " Unordered\n"
val () = (ignore (floor inf); print "no\n") handle Overflow => print "Overflow " | Domain => print "Domain "
val () = (ignore (floor nan); print "no\n") handle Domain => print "Domain\n"
