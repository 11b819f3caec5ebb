(* Overloaded operators at each type; defaults to int. *)
fun sq x = x * x
fun sqr (x : real) = x * x
fun sqw x : word = x * x
val a = sq 5 val b = sqr 1.5 val c = sqw 0w7
fun max (a, b : real) = if a > b then a else b
val d = "abc" < "abd" andalso #"a" < #"b" andalso 0w1 < 0w2 andalso 1.0 < 2.0
val e = ~2.5 + abs ~1.5
val f = (0w3 : Word8.word) - 0w5
val g = (7 : IntInf.int) * 10
val h = (op + : real * real -> real) (1.0, 2.0)
val () = print (String.concatWith " " [Int.toString a, Real.toString b, Word.toString c, Bool.toString d, Real.toString e, Word8.toString f, IntInf.toString g, Real.toString h, Real.toString (max (1.0, 2.0))] ^ "\n")
val sum = foldl op + 0 [1, 2, 3] val fsum = foldl op + 0.0 [1.0, 2.0]
val () = print (Int.toString sum ^ " " ^ Real.toString fsum ^ "\n")
