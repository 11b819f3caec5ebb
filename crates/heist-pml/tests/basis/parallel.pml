fun say s = print (s ^ "\n")
fun show a = say (PArray.toString Int.toString "," a)
val a = [| 3, 1, 4, 1, 5 |]
val () = show a
val () = show [| 1 to 10 by 3 |]
val () = show [| 10 to 1 by ~3 |]
val () = show [| 5 to 1 |]
val () = show [| x * y | x in a, y in [| 1 to 3 |] where x > 1 |]
val () = say (Int.toString (a ! 2))
val () = show (mapP (fn x => x + 1) a)
val () = show (filterP (fn x => x > 2) a)
val () = say (Int.toString (reduceP op + 0 a))
val () = show (scanP op + 0 a)
val () = show (concatP [a, range (1, 3), a])
val () = say (Int.toString (sumP a) ^ " " ^ Real.toString (sumP [| 1.5, 2.5 |]))
val () = say (Int.toString (subP (a, 4) + lengthP a))
val () = (ignore (subP (a, 5))) handle Subscript => say "Subscript"
val () = (ignore [| 1 to 3 by 0 |]) handle Domain => say "Domain"
val () = say (String.concatWith "," (map Int.toString (parN [fn () => 1, fn () => 2])))
val (x, y) = (| 1 + 1, "two" |)
val () = say (Int.toString x ^ y)
val l = Lazy.delay (fn () => (print "once "; 7))
val () = say (Int.toString (Lazy.force l + Lazy.force l))
val f = Lazy.delay (fn () => (print "fails "; raise Fail "lazy"))
val () = ignore (Lazy.force f : int) handle Fail s => say s
val () = ignore (Lazy.force f : int) handle Fail s => say s
val () = show (PArray.tab (4, fn i => i * i))
val () = say (PArray.toString (PArray.toString Int.toString ",") ";" (PArray.tab2D (2, 3, fn (i, j) => 10 * i + j)))
val () = show (PArray.map (fn (a, b, c) => a + b + c) (PArray.zip3 (a, a, a)))
val () = show (#1 (PArray.unzip (PArray.zip (a, a))))
val () = show (PArray.rev a)
val () = show (PArray.flatten [| a, a |])
val () = say (Int.toString (Rope.length (Rope.tabulate (3, fn i => i))))
val r = Random.rand (1, 2)
val xs = List.tabulate (1000, fn _ => Random.randRange (3, 9) r)
val () = say (Bool.toString (List.all (fn x => x >= 3 andalso x <= 9) xs andalso List.exists (fn x => x = 3) xs andalso List.exists (fn x => x = 9) xs))
val rs = List.tabulate (1000, fn _ => Random.randReal r)
val () = say (Bool.toString (List.all (fn x => x >= 0.0 andalso x < 1.0) rs))
val () = say (Bool.toString (Random.randNat r >= 0))
