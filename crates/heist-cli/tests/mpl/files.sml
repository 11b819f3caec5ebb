(* Files by descriptors, and files in memory that many strands read and write. *)
open Posix.FileSys
val folder = OS.FileSys.tmpName ()
val () = OS.FileSys.remove folder
val () = mkdir (folder, S.flags [S.irwxu])
val name = OS.Path.concat (folder, "numbers")
val n = 50000

fun dump (name, text) =
  let
    val file = creat (name, S.flags [S.irusr, S.iwusr])
    fun all slice =
      if Word8VectorSlice.isEmpty slice then ()
      else all (Word8VectorSlice.subslice (slice, Posix.IO.writeVec (file, slice), NONE))
  in
    all (Word8VectorSlice.full (Byte.stringToBytes text));
    Posix.IO.close file
  end
val text = String.concatWith "," (List.tabulate (n, Int.toString))
val () = dump (name, text)
val facts = stat name
val () =
  print
    (concat
       [ Bool.toString (ST.isReg facts), " ", Bool.toString (ST.isDir facts), " "
       , Bool.toString (ST.size facts = size text), " ", Bool.toString (S.allSet (S.irusr, ST.mode facts)), "\n" ])

(* Reads a file in parts. Any worker may read each part. *)
fun contents read empty name =
  let
    val file = MPL.File.openFile name
    val n = MPL.File.size file
    val all = ForkJoin.alloc n
    val part = 1000
  in
    ForkJoin.parfor 1 (0, (n + part - 1) div part) (fn i =>
      let val lo = i * part
      in read file lo (ArraySlice.slice (all, lo, SOME (Int.min (part, n - lo))))
      end);
    MPL.File.closeFile file;
    all
  end
val chars = contents MPL.File.readChars #" " name
val bytes = contents MPL.File.readWord8s (0w0 : Word8.word) name
val () =
  print
    (concat
       [ Bool.toString (CharVector.tabulate (Array.length chars, fn i => Array.sub (chars, i)) = text), " "
       , Int.toString (Array.foldl (fn (b, sum) => Word8.toInt b + sum) 0 bytes), "\n" ])

(* Appends in parts. *)
val {file, file_size} = MPL.File.openFileWriteable name (2 * n)
val () = ForkJoin.parfor 1 (0, 50) (fn part =>
  let val new = ArraySlice.full (Array.tabulate (1000, fn i => Word8.fromInt (97 + (part + i) mod 26)))
  in MPL.File.writeWord8s {file = file, file_offset = file_size + 1000 * part} new
  end)
val () = ForkJoin.parfor 1 (0, n) (fn i => MPL.File.writeChar {file = file, file_offset = file_size + n + i} #"z")
val () = MPL.File.closeFile file
val after' = TextIO.inputAll (TextIO.openIn name)
val () =
  print
    (concat
       [ Bool.toString (String.isPrefix text after'), " ", Int.toString (size after' - size text), " "
       , String.substring (after', size text + 25, 4), " ", String.extract (after', size after' - 3, NONE), "\n" ])

fun tried f = (ignore (f ()); "fine") handle MPL.File.Closed => "Closed" | Subscript => "Subscript" | OS.SysErr (_, SOME e) => OS.errorName e | e => exnName e
val read = MPL.File.openFile name
val () =
  print
    (String.concatWith " "
       [ tried (fn () => MPL.File.readChar read ~1), tried (fn () => MPL.File.readChar read (MPL.File.size read))
       , tried (fn () => MPL.File.readChars read (MPL.File.size read - 1) (ArraySlice.full (Array.array (2, #" "))))
       , tried (fn () => MPL.File.writeChar {file = read, file_offset = 0} #"x")
       , tried (fn () => MPL.File.closeFile read), tried (fn () => MPL.File.readWord8 read 0)
       , tried (fn () => MPL.File.closeFile read), tried (fn () => MPL.File.openFile (folder ^ "/none"))
       , tried (fn () => openf (folder, O_WRONLY, O.flags [])), tried (fn () => Posix.IO.close (wordToFD 0w9999)) ] ^ "\n")

(* Uses descriptors: reads a part from the middle, and uses a pipe and another name. *)
val file = openf (name, O_RDWR, O.fromWord 0w0)
val at = Posix.IO.lseek (file, 10, Posix.IO.SEEK_SET)
val buffer = Word8Array.array (6, 0w0)
val got = Posix.IO.readArr (file, Word8ArraySlice.slice (buffer, 1, SOME 5))
val () = ftruncate (file, 3)
val () = print (Byte.unpackString (Word8ArraySlice.slice (buffer, 1, NONE)) ^ " " ^ Int.toString (at + got + ST.size (fstat file)) ^ " ")
val () = Posix.IO.close file
val {infd, outfd} = Posix.IO.pipe ()
val sent = Posix.IO.writeVec (outfd, Word8VectorSlice.full (Byte.stringToBytes "through"))
val () = Posix.IO.close outfd
val came = Posix.IO.readVec (infd, 100)
val () = print (Byte.bytesToString came ^ " " ^ Int.toString (sent + Word8Vector.length (Posix.IO.readVec (infd, 100))) ^ " ")
val () = Posix.IO.close infd
val () = symlink {old = name, new = folder ^ "/other"}
val () = link {old = name, new = folder ^ "/third"}
val () = print (Bool.toString (ST.isLink (lstat (folder ^ "/other"))) ^ " " ^ Int.toString (ST.nlink (stat name)) ^ " ")
val () = chmod (name, S.irusr)
val () = print (Bool.toString (ST.mode (stat name) = S.irusr) ^ " ")
val () = utime (name, SOME {actime = Time.fromSeconds 5, modtime = Time.fromSeconds 7})
val () = print (Time.toString (ST.mtime (stat name)) ^ "\n")
val () = List.app (fn f => unlink (folder ^ "/" ^ f)) ["numbers", "other", "third"]
val () = rmdir folder

val () =
  print
    (String.concatWith " "
       [ Bool.toString (Posix.ProcEnv.getuid () = Posix.ProcEnv.geteuid ()), Bool.toString (Posix.ProcEnv.isatty (wordToFD 0w9999))
       , #2 (hd (Posix.ProcEnv.uname ())), Bool.toString (List.exists (String.isPrefix "PATH=") (Posix.ProcEnv.environ ()))
       , Bool.toString (Posix.ProcEnv.sysconf "PAGESIZE" >= 0w4096), tried (fn () => Posix.ProcEnv.sysconf "NONE")
       , tried (fn () => Posix.Process.kill (Posix.Process.K_PROC (Posix.ProcEnv.getpid ()), Posix.Signal.fromWord 0w0))
       , Posix.Error.errorName Posix.Error.noent ] ^ "\n")
val () = TextIO.flushOut TextIO.stdOut
val () = Posix.Process.execp ("sh", ["sh", "-c", "echo instead"])
