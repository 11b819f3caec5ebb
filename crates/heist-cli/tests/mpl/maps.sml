(* Maps of files: their contents, closing them, and their cost. The argument is a folder. *)
val folder = hd (CommandLine.arguments ())
val () = OS.FileSys.chDir folder
structure F = Posix.FileSys
structure M = MPL.File
fun tried f =
  (ignore (f ()); "fine")
  handle M.Closed => "Closed" | M.WrongFilePermission => "WrongFilePermission" | OS.SysErr (_, SOME e) => OS.errorName e | e => exnName e
fun line words = (print (String.concatWith " " words ^ "\n"); TextIO.flushOut TextIO.stdOut)
fun dump (name, text) = let val file = TextIO.openOut name in TextIO.output (file, text); TextIO.closeOut file end

fun all file =
  let
    val n = M.size file
    val chars = Array.array (n, #" ")
  in
    M.readChars file 0 (ArraySlice.full chars);
    CharVector.tabulate (n, fn i => Array.sub (chars, i))
  end
fun contents name = let val file = M.openFile name in all file before M.closeFile file end

(* Files that have no size. *)
val () = dump ("empty", "")
val () = F.mkfifo ("pipe", F.S.flags [F.S.irusr, F.S.iwusr])
val _ = OS.Process.system "printf through > pipe &"
val status = M.openFile "/proc/self/status"
val () =
  line
    [ "streams:", contents "pipe", Bool.toString (String.isPrefix "Name:" (all status)), "<" ^ contents "empty" ^ ">"
    , tried (fn () => M.readChar status (M.size status)), tried (fn () => M.writeChar {file = status, file_offset = 0} #"x")
    , tried (fn () => M.closeFile status), tried (fn () => M.size status), tried (fn () => M.openFile ".") ]

(* The file is longer than a worker copies between two safepoints. The memory of a map for reading cannot be written. *)
val n = 200000
val long = CharVector.tabulate (n, fn i => Char.chr (97 + i mod 23))
val () = dump ("long", long)
val file = M.openFile "long"
val shown = String.fields (fn c => c = #"\n") (contents "/proc/self/maps")
val shown = List.filter (String.isSubstring "/long") shown
val part = Array.array (n + 2, #"-")
val () = M.readChars file 1 (ArraySlice.slice (part, 2, SOME (n - 1)))
val part = CharVector.tabulate (n + 2, fn i => Array.sub (part, i))
val () =
  line
    [ "pieces:", Bool.toString (all file = long), Bool.toString (part = "--" ^ String.extract (long, 1, NONE) ^ "-")
    , Bool.toString (List.all (String.isSubstring " r--s ") shown), Int.toString (length shown)
    , tried (fn () => M.readChars file 2 (ArraySlice.full (Array.array (n - 1, #" "))))
    , tried (fn () => M.closeFile file), tried (fn () => M.readChars file 0 (ArraySlice.full (Array.array (0, #" ")))) ]
val {file, file_size} = M.openFileWriteable "long" n
val () =
  M.writeWord8s {file = file, file_offset = n}
    (ArraySlice.full (Array.tabulate (n, fn i => Byte.charToByte (String.sub (long, n - 1 - i)))))
val () = M.writeChar {file = file, file_offset = 0} #"."
val () = M.closeFile file
val twice = contents "long"
val () =
  line
    [ "written:", Int.toString file_size, Int.toString (size twice), String.substring (twice, 0, 3)
    , Bool.toString (String.extract (twice, n, NONE) = CharVector.tabulate (n, fn i => String.sub (long, n - 1 - i))) ]

(* The system gets addresses back: together, all these maps need more addresses than exist. *)
val () = dump ("large", "")
val large = F.openf ("large", F.O_RDWR, F.O.flags [])
val () = F.ftruncate (large, 0x10000000000)
fun rounds 0 = "fine"
  | rounds k =
      let val file = M.openFile "large"
      in
        if M.readChar file 0xffffffffff <> #"\000" then "other"
        else (M.closeFile file; rounds (k - 1))
      end
val () = line ["addresses:", rounds 200 handle OS.SysErr (_, SOME e) => OS.errorName e]
val () = Posix.IO.close large
val () = F.unlink "large"

(* One strand closes a map from which another strand reads. Each read is whole, or finds the map closed. *)
fun reads file =
  let
    val chars = Array.array (size twice, #" ")
    fun go () =
      ( M.readChars file 0 (ArraySlice.full chars)
      ; if CharVector.tabulate (size twice, fn i => Array.sub (chars, i)) = twice then go () else "torn" )
  in
    go () handle M.Closed => "Closed"
  end
fun race k =
  if k = 0 then "fine"
  else
    let
      val file = M.openFile "long"
      val started = ref false
      val (read, closed) =
        ForkJoin.par
          ( fn () => (started := true; reads file)
          , fn () =>
              let fun wait i = if ! started andalso i > 100 * k then () else wait (i + 1)
              in wait 0; tried (fn () => M.closeFile file)
              end )
    in
      if read = "Closed" andalso closed = "fine" then race (k - 1) else read ^ " " ^ closed
    end
(* A single worker would read forever. *)
val () = line ["race:", if MLton.Parallel.numberOfProcessors > 1 then race 40 else "fine"]
