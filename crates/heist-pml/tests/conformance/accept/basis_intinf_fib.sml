(* Fibonacci numbers by doubling, and a gcd of big numbers. *)
fun fib 0 = (0, 1) : IntInf.int * IntInf.int
  | fib n = let val (a, b) = fib (n div 2) val c = a * (2 * b - a) val d = a * a + b * b in if n mod 2 = 0 then (c, d) else (d, c + d) end
fun gcd (a, 0) = a | gcd (a, b : IntInf.int) = gcd (b, a mod b)
val () = print (IntInf.toString (#1 (fib 300)) ^ "\n")
val () = print (IntInf.toString (gcd (#1 (fib 300), #1 (fib 180))) ^ " " ^ IntInf.toString (#1 (fib 60)) ^ "\n")
val digits = size (IntInf.toString (#1 (fib 10000)))
val () = print (Int.toString digits ^ "\n")
