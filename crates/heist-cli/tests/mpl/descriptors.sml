(* Tests of Posix: numbers that are too large, flags that are set already, and programs that do not exist. The argument is a folder. *)
open Posix.FileSys
val () = chdir (hd (CommandLine.arguments ()))
fun tried f =
  (ignore (f ()); "fine")
  handle OS.SysErr (_, SOME e) => OS.errorName e | e => exnName e
fun line words = (print (String.concatWith " " words ^ "\n"); TextIO.flushOut TextIO.stdOut)
fun dump (name, text) = let val file = TextIO.openOut name in TextIO.output (file, text); TextIO.closeOut file end
val () = dump ("file", "some text")

(* The lowest 32 bits of these are 0 and 1. *)
val zero = 0wx100000000
val one = 0wx100000001
structure E = Posix.ProcEnv
structure P = Posix.Process
structure I = Posix.IO
fun fd w = wordToFD w
val () =
  line
    [ "numbers:", tried (fn () => E.setuid (E.wordToUid zero)), tried (fn () => E.setgid (E.wordToGid zero))
    , tried (fn () => P.kill (P.K_PROC (P.wordToPid zero), Posix.Signal.fromWord 0w0))
    , tried (fn () => P.kill (P.K_GROUP (P.wordToPid zero), Posix.Signal.fromWord 0w0))
    , tried (fn () => P.kill (P.K_SAME_GROUP, Posix.Signal.fromWord zero))
    , tried (fn () => E.setpgid {pid = SOME (P.wordToPid zero), pgid = NONE})
    , tried (fn () => chown ("file", E.wordToUid zero, E.wordToGid zero)), tried (fn () => chmod ("file", S.fromWord zero))
    , tried (fn () => umask (S.fromWord zero)), tried (fn () => mkdir ("folder", S.fromWord (Word.orb (zero, 0wx1c0)))) ]
val () =
  line
    [ "descriptors:", tried (fn () => I.close (fd 0wx10000270f)), tried (fn () => fstat (fd zero)), tried (fn () => I.dup (fd one))
    , tried (fn () => I.dup2 {old = fd zero, new = fd 0w9}), tried (fn () => I.dup2 {old = fd 0w0, new = fd zero})
    , tried (fn () => I.readVec (fd zero, 0)), tried (fn () => I.getfl (fd one)), tried (fn () => fchmod (fd one, S.irusr))
    , tried (fn () => I.writeVec (fd one, Word8VectorSlice.full (Byte.stringToBytes ""))) ]
val same = Word.fromInt ~1
val () = line ["as they are:", tried (fn () => chown ("file", E.wordToUid same, E.wordToGid same))]

(* The system's call takes these numbers for groups, or for all processes. *)
fun signals make = List.map (fn n => tried (fn () => P.kill (make (P.wordToPid (Word.fromInt n)), Posix.Signal.fromWord 0w0)))
val least = valOf Int.minInt
val () = line ("processes:" :: signals P.K_PROC [0, ~1, ~2, least])
val () = line ("groups:" :: signals P.K_GROUP [0, 1, ~1, ~2, least])

(* A file keeps its flags when the program sets other flags. *)
val file = openf ("file", O_RDWR, O.flags [O.append, O.sync])
fun flags file =
  let val (flags, mode) = I.getfl file
  in String.concatWith "," (List.map Bool.toString [I.O.allSet (I.O.append, flags), I.O.allSet (I.O.sync, flags), I.O.allSet (I.O.nonblock, flags), mode = I.O_RDWR])
  end
val before' = flags file
val reader = I.mkTextReader {fd = file, name = "file", initBlkMode = false}
val read = flags file
val () = I.setfl (file, I.O.append)
val writer = I.mkBinWriter {fd = file, name = "file", appendMode = false, initBlkMode = false, chunkSize = 100}
val written = flags file
val () = I.setfl (file, I.O.nonblock)
val appender = I.mkTextWriter {fd = file, name = "file", appendMode = true, initBlkMode = true, chunkSize = 100}
val () = line ["flags:", before', read, written, flags file]
val TextPrimIO.RD {readVec, endPos, setPos, avail, close, ...} = reader
val TextPrimIO.WR {writeVec, ...} = appender
val readVec = valOf readVec
val count = valOf writeVec (CharVectorSlice.full ", more")
val () = valOf setPos 5
val () =
  line
    [ "ends:", Int.toString count, Int.toString (valOf endPos ()), Option.getOpt (Option.map Int.toString (avail ()), "none"), readVec 100
    , tried close, tried close, tried (fn () => readVec 1) ]

(* If a program does not start, this program keeps its state. *)
val {infd, outfd} = I.pipe ()
val () = I.close infd
fun send () = I.writeVec (outfd, Word8VectorSlice.full (Byte.stringToBytes "x"))
val () =
  line
    [ "programs:", tried (fn () => P.exec ("/none/such", ["such"])), tried send, tried (fn () => P.execp ("none-such", [])), tried send
    , tried (fn () => P.exece ("/", ["/"], ["A=b"])), tried send ]
val () =
  line
    [ "zeros:", tried (fn () => P.exec ("/bin/echo", ["echo", "a\000b"])), tried (fn () => P.execp ("echo", ["echo", "\000"]))
    , tried (fn () => P.exece ("/bin/echo", ["echo"], ["A=b\000C=d"])), tried (fn () => P.exec ("/bin/echo\000", ["echo"])) ]
val () = line ["environ:", Bool.toString (List.exists (String.isPrefix "PATH=") (E.environ ()))]
(* A program starts with SIGPIPE at its default, and with the environment that it was given. *)
val () = P.exece ("/bin/sh", ["sh", "-c", "sh -c 'kill -PIPE $$'; echo $? $A $HOME."], ["A=b", "PATH=/usr/bin:/bin"])
