(* Arrays: making, changing, folding, copying, bounds. *)
val a = Array.tabulate (6, fn i => i * i)
fun show a = print ("[" ^ String.concatWith " " (Array.foldr (fn (x, l) => Int.toString x :: l) [] a) ^ "] ")
val () = (Array.update (a, 2, 99); show a; Array.modify (fn x => x + 1) a; show a; Array.modifyi (fn (i, x) => x - i) a; show a)
val b = Array.array (8, 0)
val () = (Array.copy {src = a, dst = b, di = 2}; show b; Array.copyVec {src = Vector.fromList [7, 8], dst = b, di = 0}; show b)
val () = Array.appi (fn (i, x) => if x = 7 then print (Int.toString i ^ " ") else ()) b
val () = print (Int.toString (Array.length b) ^ " " ^ Int.toString (Array.foldl op + 0 b) ^ " " ^ Int.toString (Array.foldli (fn (i, x, s) => i * x + s) 0 a) ^ "\n")
val () = print (Bool.toString (Array.exists (fn x => x = 99) a) ^ Bool.toString (Array.all (fn x => x < 1000) a) ^ Int.toString (valOf (Option.map #1 (Array.findi (fn (_, x) => x > 10) a))) ^ "\n")
val below = valOf (Int.fromString "~1")
fun try f = (f (); print "no ") handle Subscript => print "Subscript " | Size => print "Size "
val () = (try (fn () => ignore (Array.sub (a, 6))); try (fn () => Array.update (a, below, 0)); try (fn () => Array.copy {src = a, dst = b, di = 3}); try (fn () => ignore (Array.array (below, 0))))
val v = Array.vector a
val () = (Array.update (a, 0, 5); print (Int.toString (Vector.sub (v, 0)) ^ Int.toString (Array.sub (a, 0)) ^ "\n"))
val c = Array.fromList ["x", "y"] val e : real array = Array.fromList []
val () = print (Array.sub (c, 1) ^ Int.toString (Array.length e) ^ "\n")
