open Array2
fun show a = app RowMajor (fn x => print (Int.toString x ^ " ")) a before print "\n"
fun try f = (f ()) handle e => print ("raises " ^ exnName e ^ "\n")
val a = tabulate RowMajor (3, 4, fn (i, j) => i * 10 + j)
val () = show a
val () = show (fromList [[1, 2], [3, 4]])
val () = try (fn () => show (fromList [[1, 2], [3]]))
val () = show (array (2, 2, 7))
val () = print (Int.toString (nRows a) ^ Int.toString (nCols a) ^ Int.toString (sub (a, 2, 3)) ^ "\n")
val () = try (fn () => ignore (sub (a, 3, 0)))
val () = try (fn () => ignore (sub (a, 0, 4)))
val () = (update (a, 1, 1, 99); show a)
val () = Vector.app (fn x => print (Int.toString x ^ " ")) (row (a, 1))
val () = Vector.app (fn x => print (Int.toString x ^ " ")) (column (a, 1))
val () = print "\n"
val () = appi ColMajor (fn (i, j, x) => print (Int.toString i ^ Int.toString j ^ ":" ^ Int.toString x ^ " ")) {base = a, row = 1, col = 1, nrows = NONE, ncols = SOME 2}
val () = print (Int.toString (fold RowMajor op + 0 a) ^ "\n")
val () = (modify RowMajor (fn x => x + 1) a; show a)
val () = (copy {src = {base = a, row = 0, col = 0, nrows = SOME 2, ncols = SOME 2}, dst = a, dst_row = 1, dst_col = 1}; show a)
val () = try (fn () => copy {src = {base = a, row = 0, col = 0, nrows = NONE, ncols = NONE}, dst = a, dst_row = 1, dst_col = 1})
val () = ignore (tabulate ColMajor (2, 2, fn (i, j) => print (Int.toString i ^ Int.toString j ^ " ")))
val () = print "\n"
(* Two arrays are equal if they are the same array; their elements do not matter. *)
val b = fromList [[0.0, 1.0], [2.0, 3.0]]
val same = b
val () = update (b, 0, 0, 4.0)
val f = array (1, 1, fn x => x + 1)
fun none () : real array = fromList []
val () = print (String.concatWith " " (map Bool.toString
  [ b = same, b = fromList [[4.0, 1.0], [2.0, 3.0]], f = f, f <> array (1, 1, fn x => x + 1)
  , let val n = none () in n = n end, none () = none (), (b, [f]) = (same, [f])
  , array (2, 3, 0) = array (2, 3, 0), a = a ]) ^ "\n")
