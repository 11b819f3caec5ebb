val v = RealVector.tabulate (4, fn i => real i / 2.0)
val () = print (Real.toString (RealVector.foldl op + 0.0 v) ^ "\n")
val a = RealArray.array (3, 1.5)
val () = (RealArray.update (a, 1, 2.5); print (Real.toString (RealArray.foldl op + 0.0 a) ^ "\n"))
val i = IntArray.fromList [3, 1, 2]
val () = (IntArray.modify (fn x => x * 2) i; print (Int.toString (IntVector.sub (IntArray.vector i, 0)) ^ "\n"))
val () = print (Bool.toString (BoolArray.sub (BoolArray.array (2, true), 1)) ^ "\n")
val s = IntArraySlice.slice (i, 1, NONE)
val () = print (Int.toString (IntArraySlice.foldl op + 0 s) ^ "\n")
