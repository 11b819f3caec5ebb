(* Vectors: literal-like making, mapping, folding, searching. *)
val v = Vector.fromList [3, 1, 4, 1, 5, 9, 2, 6]
fun show v = print ("<" ^ String.concatWith " " (Vector.foldr (fn (x, l) => Int.toString x :: l) [] v) ^ "> ")
val () = (show (Vector.map (fn x => x * 2) v); show (Vector.mapi (fn (i, x) => i + x) v); show (Vector.concat [v, Vector.fromList [0]]); show (Vector.update (v, 1, 100)); show v; show (Vector.tabulate (3, fn i => ~i)))
val () = print (Int.toString (Vector.foldl Int.max 0 v) ^ Int.toString (Vector.length v) ^ Bool.toString (Vector.exists (fn x => x = 9) v) ^ Bool.toString (isSome (Vector.find (fn x => x = 7) v)) ^ (case Vector.collate Int.compare (v, Vector.map (fn x => x) v) of EQUAL => "equal" | _ => "other") ^ "\n")
val () = Vector.appi (fn (i, x) => if i mod 3 = 0 then print (Int.toString x ^ " ") else ()) v
val () = (ignore (Vector.sub (v, 8)); print "no\n") handle Subscript => print "Subscript\n"
val e : string vector = vector [] val pairs = Vector.fromList [(1, "a"), (2, "b")]
val () = print (Int.toString (Vector.length e) ^ #2 (Vector.sub (pairs, 1)) ^ "\n")
