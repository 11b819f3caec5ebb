(* Parallel arrays of reals, and of tuples of reals. *)
val xs = [| real i / 4.0 | i in [| 0 to 4 |] |]
val ys = [| (x, x * x) | x in xs |]
val () = print (PArray.toString Real.toString " " xs ^ "\n")
val () = print (Real.toString (reduceP Real.+ 0.0 [| b - a | (a, b) in ys |]) ^ " " ^ Real.toString (sumP xs) ^ "\n")
val (lo, hi) = reduceP (fn ((a, b), (c, d)) => (Real.min (a, c), Real.max (b, d))) (1E9, ~1E9) [| (x, x) | x in xs |]
val () = print (Real.toString lo ^ " " ^ Real.toString hi ^ "\n")
