(* Slices of vectors and arrays. *)
val v = Vector.tabulate (10, fn i => i)
val s = VectorSlice.slice (v, 3, SOME 4)
fun list s = String.concat (map Int.toString (VectorSlice.foldr op :: [] s))
val () = print (list s ^ " " ^ list (VectorSlice.subslice (s, 1, NONE)) ^ " " ^ Int.toString (VectorSlice.sub (s, 2)) ^ " " ^ Int.toString (VectorSlice.length s) ^ "\n")
val a = Array.tabulate (6, fn i => i * 10)
val t = ArraySlice.slice (a, 2, SOME 3)
val () = ArraySlice.modify (fn x => x + 1) t
val () = print (String.concatWith " " (map Int.toString (Array.foldr op :: [] a)) ^ " " ^ Int.toString (ArraySlice.foldl op + 0 t) ^ "\n")
val () = ArraySlice.copy {src = t, dst = a, di = 0}
val () = print (String.concatWith " " (map Int.toString (Array.foldr op :: [] a)) ^ "\n")
val () = (ignore (VectorSlice.slice (v, 8, SOME 3)); print "no\n") handle Subscript => print "Subscript\n"
fun sum s = case VectorSlice.getItem s of NONE => 0 | SOME (x, rest) => x + sum rest
val () = print (Int.toString (sum (VectorSlice.full v)) ^ "\n")
