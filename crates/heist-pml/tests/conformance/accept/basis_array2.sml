(* Two-dimensional arrays. *)
val a = Array2.tabulate Array2.RowMajor (3, 4, fn (i, j) => i * 10 + j)
val () = Array2.update (a, 1, 2, 99)
val (r, c) = Array2.dimensions a
val () = print (Int.toString r ^ "x" ^ Int.toString c ^ " " ^ Int.toString (Array2.sub (a, 1, 2)) ^ " " ^ Int.toString (Array2.fold Array2.RowMajor op + 0 a) ^ " " ^ String.concatWith "," (map Int.toString (Vector.foldr op :: [] (Array2.column (a, 1)))) ^ "\n")
val b = Array2.fromList [[1, 2], [3, 4]]
val () = Array2.app Array2.ColMajor (fn n => print (Int.toString n)) b
val () = (ignore (Array2.sub (b, 2, 0)); print "no\n") handle Subscript => print " Subscript\n"
