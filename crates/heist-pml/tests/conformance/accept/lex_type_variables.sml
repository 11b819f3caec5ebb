(* Type variables with primes, digits and underscores, with and without equality. *)
fun f (x : 'a, y : ''b, z : '_c, w : 'elem_1) = (w, z, y = y, x)
val (a, b, c, d) = f (1, "eq", 2.5, #"w")
datatype ('key', '_2) pair = P of 'key' * '_2
val P (p, q) = P (a, b)
val () = print (str p ^ Real.toString q ^ Bool.toString c ^ Int.toString d ^ "\n")
