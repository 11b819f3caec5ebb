(* Files that another process cuts short while they are in memory. The argument is a folder. With a second argument, no code handles the
   exception. *)
val () = OS.FileSys.chDir (hd (CommandLine.arguments ()))
structure M = MPL.File
fun tried f =
  (ignore (f ()); "fine")
  handle OS.SysErr (why, SOME e) => (if String.isSubstring "`file`" why then OS.errorName e else why) | e => exnName e
fun line words = (print (String.concatWith " " words ^ "\n"); TextIO.flushOut TextIO.stdOut)
val n = 100000
fun whole () =
  let val file = TextIO.openOut "file"
  in TextIO.output (file, CharVector.tabulate (n, fn i => Char.chr (97 + i mod 26))); TextIO.closeOut file
  end
(* The rest of the page stays in memory. *)
fun cut () = if OS.Process.isSuccess (OS.Process.system "printf abc > file") then () else raise Fail "cut"

val () = whole ()
val file = M.openFile "file"
val chars = Array.array (n, #" ")
fun all () = M.readChars file 0 (ArraySlice.full chars)
val () = line ["before:", tried all, str (M.readChar file (n - 1))]
val () = cut ()
(* Each strand notices the cut. *)
fun each (i, k) =
  if k = 1 then tried (fn () => M.readWord8 file (n - i))
  else
    let val (a, b) = ForkJoin.par (fn () => each (i, k div 2), fn () => each (i + k div 2, k - k div 2))
    in if a = b then a else a ^ " " ^ b
    end
val () =
  line
    [ "read:", tried all, tried (fn () => M.readChar file (n - 1)), each (1, 1000), str (M.readChar file 2)
    , tried (fn () => M.readChar file n), tried (fn () => M.closeFile file), tried (fn () => M.readChar file 2) ]

val () = whole ()
val {file, file_size} = M.openFileWriteable "file" 50
val bytes = ArraySlice.full (Array.array (50, Byte.charToByte #"z"))
fun append at = M.writeWord8s {file = file, file_offset = at} bytes
val () = line ["before:", Int.toString file_size, tried (fn () => append file_size)]
val () = cut ()
val () =
  line
    [ "written:", tried (fn () => append file_size), tried (fn () => M.writeChar {file = file, file_offset = n} #"x")
    , tried (fn () => M.writeChar {file = file, file_offset = 1} #"x"), tried (fn () => M.readChar file n) ]
val text = let val file = TextIO.openIn "file" in TextIO.inputAll file before TextIO.closeIn file end
val () = line ["file:", text]
val () = if length (CommandLine.arguments ()) > 1 then ignore (M.readChar file n) else ()
