(* The structure ListPair, with lists of equal and of different lengths. *)
val a = [1, 2, 3] and b = ["x", "y", "z"]
val () = app (fn (n, s) => print (Int.toString n ^ s ^ " ")) (ListPair.zip (a, b))
val () = app print (ListPair.map (fn (n, s) => s ^ Int.toString n ^ " ") (a, "w" :: b))
val () = print (Int.toString (ListPair.foldl (fn (x, y, s) => x * y + s) 0 (a, [4, 5])) ^ " " ^ Int.toString (ListPair.foldr (fn (x, y, s) => x - y - s) 0 (a, [4, 5, 6])) ^ "\n")
val (p, q) = ListPair.unzip [(1, "a"), (2, "b")]
val () = print (Int.toString (length p) ^ concat q ^ Bool.toString (ListPair.all op = (a, a)) ^ Bool.toString (ListPair.exists op > (a, [1, 1, 9])) ^ Bool.toString (ListPair.allEq op = (a, [1, 2])) ^ "\n")
val () = (ignore (ListPair.zipEq (a, [1])); print "no\n") handle ListPair.UnequalLengths => print "unequal\n"
val () = (ListPair.appEq (fn (x, y) => print (Int.toString (x + y) ^ " ")) (a, [1]); print "no\n") handle ListPair.UnequalLengths => print "unequal\n"
