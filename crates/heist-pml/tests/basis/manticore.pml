fun say s = Print.printLn s
val itos = Int.toString
val () = say (itos (2147483647 + 1) ^ " " ^ itos ~5 ^ " " ^ itos (65536 * 65536 + 3))
val () = say (itos (~7 div 2) ^ " " ^ itos (~7 mod 2) ^ " " ^ itos (7 div ~2))
val () = say (itos (1 div 0)) handle Div => say "Div"
val big : long = 9223372036854775807
val () = say (Long.toString (big + 1) ^ " " ^ Long.toString (big div 10))
val () = say (Double.toString 1.5 ^ " " ^ Double.toString (~2.0 / 3.0))
val f : float = 0.1
val () = say (Float.toString f ^ " " ^ Float.toString (f + f) ^ " " ^ Float.toString (Float.fromInt 3 / 7.0))
val () = say (Double.toString (Float.toDouble f))
val () = say (itos (fst (1, 2)) ^ itos (snd (1, 2)) ^ itos (nth ([1, 2, 3], 2)) ^ itos (compose (fn x => x + 1, fn x => x * 2) 5))
val () = say (itos (length [1, 2, 3]) ^ itos (size "hello") ^ itos (ord #"a") ^ String.concatWith "-" ["a", "b"])
val a = [| i * i | i in [| 0 to 9 by 2 |] |]
val () = say (PArray.toString itos "," a ^ " " ^ itos (a ! 2) ^ " " ^ itos (PArray.length a))
val () = say (itos (PArray.reduce (fn (x, y) => x + y) 0 a))
val () = say (PArray.toString itos "," (PArray.scan (fn (x, y) => x + y) 0 a))
val () = say (PArray.tos_int (PArray.range (0, 10, 5)) ^ PArray.tos_int (PArray.concat (a, a)))
val () = say (PArray.tos_intParr (PArray.tab2D ((0, 1, 1), (0, 2, 1), fn (i, j) => i * 10 + j)))
val () = say (PArray.tos_int (PArray.fromRope (Rope.tabulateSequential (fn x => x) (1, 5))))
val () = PArray.app (fn x => Print.print (itos x ^ ";")) a
val () = say ""
val () = say (itos (Double.floor 2.7) ^ " " ^ Long.toString (Double.round ~2.5) ^ " " ^ Double.toString (Double.sqrt 2.0))
val () = say (String.concat (List.map itos (List.tabulate (4, fn i => i))))
val () = say (itos (Int.max (1, 2)) ^ itos (Int.abs ~3) ^ itos (valOf (Int.fromString "-12")))
val () = app (fn x => Print.print (itos x)) (rev [1, 2, 3])
val () = say (itos (foldl (fn (x, s) => x + s) 0 [1, 2, 3]))
val n = Rand.inRangeInt (0, 10)
val () = say (if n >= 0 andalso n < 10 then "in range" else "out of range")
val t = Time.now ()
val () = say (if t > 0 then "time" else "no time")
val () = say (Time.toString 1234567)
val arr = Array.tabulate (5, fn i => i)
val () = (Array.update (arr, 2, 100); say (itos (Array.sub (arr, 2)) ^ itos (Array.length arr)))
val () = say (if 1.5 < 2.5 andalso #"a" < #"b" andalso "x" <= "y" then "ordered" else "not")
val () = say (itos (sumP a) ^ " " ^ Double.toString (sumP [| 1.5, 2.5 |]))
fun fib n = (case n of 0 => 0 | 1 => 1 | n => (op +) (| fib (n - 1), fib (n - 2) |))
val () = say (itos (fib 20))
