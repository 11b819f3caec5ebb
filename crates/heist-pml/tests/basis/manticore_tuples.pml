(* Operations on arrays take tuples of arguments; those on lists do not. The end of the file resolves overloading. *)
fun sum a = let fun add (x, y) = x + y in PArray.reduce (add, 0.0, a) end
fun product (v, w) = [| x * y | x in v, y in w |]
val _ = Print.printLn (Float.toString (sum (product ([| 1.0, 2.0, 3.0 |], [| 4.0, 5.0 |]))))
val _ = Print.printLn (PArray.toString Int.toString "," (PArray.map (fn x => x + 1, [| 1 to 3 |])))
fun ten n = foldl (fn (m, n) => m * n) 1 (List.tabulate (n, fn _ => 10))
val _ = Print.printLn (Int.toString (ten 3))
(* `do` is a name here, because the language has no loops. *)
fun do (i, j) = Print.printLn (Int.toString (i + j))
val _ = PArray.app (do, [| (1, 2), (3, 4) |])
structure Square = struct fun square x = x * x end;
val half = 0.5;
val _ = Print.printLn (Float.toString (Square.square half))
