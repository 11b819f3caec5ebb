(* Values at the edges of types, and calls that recognise exceptions that the Basis does not name. *)
fun take (n, xs) = if n <= 0 then nil else case xs of nil => nil | x :: rest => x :: take (n - 1, rest)
fun mapConcat f xs = List.concat (map f xs)
val least = valOf Int.minInt
val most = valOf Int.maxInt
val ints =
  [ 0, ~1, most, 1, least, 2, 3, 0xffffff01, 65, most - 1, least + 1, 8, 63, 64, 7, 300, ~2, ~0x80000001
  , 0x7fffffffffff, 31, 32, 127, 255, 1023, 1024, ~1074, 20000 ]
val intInfs =
  [0, ~1, IntInf.pow (2, 64), 1, ~ (IntInf.pow (2, 63)) - 1, IntInf.pow (2, 1100), 2, ~ (IntInf.pow (2, 1100))] @ map IntInf.fromInt ints
fun fitting f = List.mapPartial (fn i => SOME (f i) handle Overflow => NONE)
val bytes = [0, ~1, 127, 1, ~128, 2, 64, 7, 8, ~127, 126]
val int7s = fitting Int7.fromInt ([63, ~64] @ bytes)
val int8s = fitting Int8.fromInt bytes
val int16s = fitting Int16.fromInt ([32767, ~32768] @ bytes)
val int32s = fitting Int32.fromInt ([0x7fffffff, ~0x80000000] @ bytes)
val words = [0w0, 0wxffffffffffffffff, 0w1, 0w64, 0wx8000000000000000, 0w63, 0w65, 0w2, 0w31, 0w32, 0w33, 0w8, 0w7, 0wx7fffffffffffffff, 0w1000]
val word7s = map Word7.fromLarge words
val word8s = map Word8.fromLarge words
val word16s = map Word16.fromLarge words
val word32s = map Word32.fromLarge words
val reals =
  [ 0.0, ~0.0, 1.0, Real.posInf, 0.0 / 0.0, Real.maxFinite, Real.minPos, ~1.5, Real.negInf, 0.5, 9223372036854775808.0, ~9223372036854775809.0
  , 2.5, 1E19, ~1E300, Real.minNormalPos, 3.0, 0.1, 4503599627370497.5, ~0.49999999999999994 ]
val floats = map (Real32.fromLarge IEEEReal.TO_NEAREST) reals
val chars = [#"\000", #"a", #"0", #"\255", #"\"", #"\\", #" ", #"~", #"\n", #"-", #".", #"e", #"x", #"%"]
val strings =
  [ "", "a", "0", "~1", "\000\255", "1E400", "0xffffffffffffffffffff", "12.5e-3", "\\u12", "\\", "%Y%%%q%", CharVector.tabulate (300, fn _ => #"9")
  , " x", "\\^", "\\999", ".", "1E99999999999999999999", "0w", "~", "-", "x.y" ]
fun options xs = NONE :: map SOME xs
fun lists xs = nil :: map (fn x => [x]) xs @ [xs, xs @ xs]
fun readers xs = [fn _ => NONE, fn s => if s >= 0 andalso s < length xs then SOME (List.nth (xs, s), s + 1) else NONE]
  @ map (fn x => fn s => if s >= 0 andalso s < 5 then SOME (x, s + 1) else NONE) xs
val substrings = map Substring.full strings @ [Substring.substring ("abcdef", 2, 3), Substring.substring ("abc", 3, 0)]
fun vectorSlices xs =
  map (VectorSlice.full o Vector.fromList) xs
  @ List.mapPartial (fn l => SOME (VectorSlice.slice (Vector.fromList l, 1, NONE)) handle Subscript => NONE) xs
fun arraySlices xs =
  map (ArraySlice.full o Array.fromList) xs
  @ List.mapPartial (fn l => SOME (ArraySlice.slice (Array.fromList l, 1, NONE)) handle Subscript => NONE) xs
val word8VectorSlices = map (Word8VectorSlice.full o Word8Vector.fromList) (lists word8s) @ [Word8VectorSlice.slice (Word8Vector.fromList word8s, 2, SOME 3)]
val word8ArraySlices = map (Word8ArraySlice.full o Word8Array.fromList) (lists word8s) @ [Word8ArraySlice.slice (Word8Array.fromList word8s, 2, SOME 3)]
val charArraySlices = map (CharArraySlice.full o CharArray.fromList) (lists chars) @ [CharArraySlice.slice (CharArray.fromList chars, 2, SOME 3)]
fun grids xs = case xs of nil => nil | x :: _ => [Array2.fromList nil, Array2.array (1, 1, x), Array2.array (0, 3, x), Array2.fromList [xs, rev xs]]
fun parrays xs = map PArray.fromList xs
val times = List.mapPartial (fn n => SOME (Time.fromNanoseconds n) handle Time.Time => NONE) intInfs
val dates =
  List.mapPartial
    (fn (year, offset) =>
       SOME (Date.date {year = year, month = Date.Feb, day = 29, hour = 23, minute = 59, second = 59, offset = offset}) handle Date.Date => NONE)
    [(2024, NONE), (1900, SOME Time.zeroTime), (~1, SOME (Time.fromSeconds 3600)), (9999, NONE), (292000000, NONE), (0, SOME (Time.fromSeconds ~50000))]
val realfmts = mapConcat (fn f => map f [NONE, SOME 0, SOME 1, SOME ~1, SOME 17, SOME 300, SOME most, SOME least]) [StringCvt.SCI, StringCvt.FIX, StringCvt.GEN] @ [StringCvt.EXACT]
fun closedText () = let val s = TextIO.openString "ab" in TextIO.closeIn s; s end
fun closedOut () = let val s = TextIO.openOut "out" in TextIO.closeOut s; s end
fun binaryIn () = let val s = BinIO.openOut "in" in BinIO.output (s, Word8Vector.fromList word8s); BinIO.closeOut s; BinIO.openIn "in" end
fun mplFile () = (BinIO.closeIn (binaryIn ()); MPL.File.openFile "in")
fun closedMplFile () = let val file = mplFile () in MPL.File.closeFile file; file end
fun closedBinary () = let val s = binaryIn () in BinIO.closeIn s; s end
fun closedDir () = let val d = OS.FileSys.openDir "." in OS.FileSys.closeDir d; d end
fun textPositions () = [TextIO.getPosOut (TextIO.openOut "out")] handle IO.Io _ => nil
fun binaryPositions () = [BinIO.getPosOut (BinIO.openOut "out")] handle IO.Io _ => nil
val descriptors = List.map (Posix.FileSys.fdToIOD o Posix.FileSys.wordToFD) [0w0, 0w2, 0w999]
fun polled () =
  OS.IO.poll
    ( List.map (OS.IO.pollOut o valOf o OS.IO.pollDesc o Posix.FileSys.fdToIOD) [Posix.FileSys.stdout, Posix.FileSys.stderr]
    , SOME Time.zeroTime )
fun each xs f = List.app f xs
val named =
  [ "Chr", "Date", "Div", "Domain", "Empty", "InvalidArc", "Io", "Option", "Overflow", "Path", "Size", "Span", "Subscript", "SysErr", "Time", "Unordered"
  , "BadPath", "UnequalLengths", "RandomAccessNotSupported", "ClosedStream", "NonblockingNotSupported", "BlockingNotSupported", "TerminatedStream", "Closed", "WrongFilePermission" ]
fun call f = f () handle e => if List.exists (fn name => name = exnName e) named then () else print ("\nraises " ^ exnName e ^ "\n")
fun begin name = (print ("\n= " ^ name ^ "\n"); TextIO.flushOut TextIO.stdOut)
