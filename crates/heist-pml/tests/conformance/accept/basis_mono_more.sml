(* Vectors and arrays of all types of numbers, and arrays of two dimensions of one type. *)
val a = Int32Array.fromList [1, 2, 3]
val () = Int32Array.modify (fn x => x * 10) a
val v : Int32Vector.vector = Int32Array.vector a
val () = print (Int32.toString (Int32Vector.foldl op+ 0 v) ^ "\n")
val w = Word16Vector.tabulate (3, fn i => Word16.fromInt (65534 + i))
val () = Word16Vector.app (fn w => print (Word16.toString w ^ " ")) w
val big = LargeIntArray.array (2, IntInf.pow (10, 30))
val () = print (IntInf.toString (LargeIntArray.sub (big, 1)) ^ "\n")
val s = Real32ArraySlice.slice (Real32Array.fromList [1.5, 2.5, 3.5], 1, NONE)
val () = print (Int.toString (Real32ArraySlice.length s) ^ " " ^ Real32.toString (Real32ArraySlice.sub (s, 0)) ^ "\n")
val words : word Array.array = WordArray.array (2, 0w7)
val () = print (Word.toString (LargeWordArray.sub (words, 0) + Word64Array.sub (words, 1)) ^ "\n")
val grid = CharArray2.tabulate CharArray2.RowMajor (2, 3, fn (i, j) => chr (65 + 3 * i + j))
val () = print (CharArray2.row (grid, 1) ^ " " ^ CharArray2.column (grid, 2) ^ "\n")
val bytes = Word8Array2.fromList [[0w1, 0w2], [0w3, 0w4]]
val () = Word8Array2.modify Word8Array2.ColMajor (fn b => b + 0w1) bytes
val () = print (Word8.toString (Word8Vector.foldl op+ 0w0 (Word8Array2.row (bytes, 1))) ^ "\n")
val whole = {base = bytes, row = 0, col = 1, nrows = NONE, ncols = NONE}
val () = print (Word8.toString (Word8Array2.foldi Array2.RowMajor (fn (_, _, x, sum) => x + sum) 0w0 whole) ^ "\n")
val () = (ignore (IntArray2.row (IntArray2.array (1, 1, 0), 1))) handle Subscript => print "Subscript\n"
val same : real Array2.array = Real64Array2.array (1, 1, 0.5)
val () = print (Bool.toString (LargeRealArray2.sub (same, 0, 0) < 1.0 andalso BoolArray2.nCols (BoolArray2.array (1, 4, true)) = 4) ^ "\n")
