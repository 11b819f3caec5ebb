(* Loops over reals: Newton, Simpson, a series, and comparisons at the ends. *)
fun newton (x, 0) = x | newton (x, n) = newton ((x + 2.0 / x) / 2.0, n - 1)
fun simpson (f, a, b, n) = let val h = (b - a) / real n fun sum (i, s) = if i > n then s else sum (i + 1, s + f (a + real i * h) * (if i = 0 orelse i = n then 1.0 else if i mod 2 = 1 then 4.0 else 2.0)) in sum (0, 0.0) * h / 3.0 end
fun pi (k, s, sign) = if k > 20000 then 4.0 * s else pi (k + 1, s + sign / real (2 * k + 1), ~sign)
fun show r = print (Real.fmt (StringCvt.FIX (SOME 8)) r ^ " ")
val () = (show (newton (1.0, 6)); show (simpson (fn x => x * x * x, 0.0, 2.0, 100)); show (pi (0, 0.0, 1.0)); show (foldl Real.max ~1.0 [0.5, 2.5, 1.5]); print "\n")
val () = print (String.concatWith " " (map Bool.toString [1.0 < 1.5, 1.5 <= 1.5, ~1.0 > 1.0, Real.== (0.1 + 0.2, 0.3)]) ^ "\n")
