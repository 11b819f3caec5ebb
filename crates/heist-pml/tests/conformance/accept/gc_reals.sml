(* Boxed and unboxed reals in lists, arrays, tuples and closures. *)
fun step (xs, k) = map (fn (x, y) => (x * 0.5 + y, y * 0.5 + real k)) xs
fun loop (0, xs) = xs | loop (k, xs) = loop (k - 1, step (xs, k mod 3))
val xs = loop (2000, List.tabulate (100, fn i => (real i, 1.0)))
val a = Array.tabulate (1000, fn i => real i)
fun smooth 0 = () | smooth k = (Array.modifyi (fn (i, x) => if i = 0 then x else (x + Array.sub (a, i - 1)) / 2.0) a; smooth (k - 1))
val () = smooth 200
val () = print (Real.fmt (StringCvt.FIX (SOME 6)) (foldl (fn ((x, y), s) => s + x - y) 0.0 xs) ^ " " ^ Real.fmt (StringCvt.FIX (SOME 6)) (Array.sub (a, 999)) ^ "\n")
