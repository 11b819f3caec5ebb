(* Child processes that are started by Unix, and their ends. *)

fun show s = print (s ^ "\n")
type text = (TextIO.instream, TextIO.outstream) Unix.proc
fun ended status =
  case Unix.fromStatus status of
    Unix.W_EXITED => "exited"
  | Unix.W_EXITSTATUS code => "code " ^ Word8.toString code
  | Unix.W_SIGNALED signal => "signal " ^ SysWord.toString (Posix.Signal.toWord signal)
  | Unix.W_STOPPED _ => "stopped"

(* Data in both directions. *)
val p : text = Unix.execute ("/bin/cat", nil)
val (instream, outstream) = Unix.streamsOf p
val () = TextIO.output (outstream, "one\ntwo\n")
val () = TextIO.closeOut outstream
val () = show (TextIO.inputAll instream)
val () = show (ended (Unix.reap p))
val () = show (ended (Unix.reap p))

(* Arguments, an environment, an exit code. *)
val p : text = Unix.executeInEnv ("/bin/sh", ["-c", "echo $0 $1 $A; exit 7", "x", "y z"], ["A=hello"])
val () = print (valOf (TextIO.inputLine (Unix.textInstreamOf p)))
val () = show (Bool.toString (isSome (TextIO.inputLine (Unix.textInstreamOf p))))
val () = show (ended (Unix.reap p))

(* Bytes. *)
val p : (BinIO.instream, BinIO.outstream) Unix.proc = Unix.execute ("/bin/cat", nil)
val () = BinIO.output (Unix.binOutstreamOf p, Word8Vector.tabulate (256, Word8.fromInt))
val () = BinIO.closeOut (Unix.binOutstreamOf p)
val bytes = BinIO.inputAll (Unix.binInstreamOf p)
val () = show (Int.toString (Word8Vector.foldl (fn (b, sum) => sum + Word8.toInt b) 0 bytes))
val () = show (ended (Unix.reap p))

(* A process that is killed, and a process that ends before it has read its input. *)
val p : text = Unix.execute ("/bin/sleep", ["100"])
val () = Unix.kill (p, Posix.Signal.term)
val () = show (ended (Unix.reap p))
val p : text = Unix.execute ("/bin/true", nil)
val () = show (ended (Unix.reap p))
val p : text = Unix.execute ("/bin/sh", ["-c", "exec 0<&-; echo closed; sleep 1"])
val () = print (valOf (TextIO.inputLine (Unix.textInstreamOf p)))
val out = Unix.textOutstreamOf p
val () = (TextIO.output (out, "more"); TextIO.flushOut out; show "written") handle IO.Io _ => show "its end is closed"
val () = show (ended (Unix.reap p))

(* The text fits into a pipe, so one thread can both write it and read it. *)
val p : text = Unix.execute ("/bin/cat", nil)
val (instream, outstream) = Unix.streamsOf p
val text = CharVector.tabulate (60000, fn i => chr (65 + i mod 26))
val () = (TextIO.output (outstream, text); TextIO.closeOut outstream)
val () = show (Bool.toString (TextIO.inputAll instream = text))
val () = show (ended (Unix.reap p))

(* Many processes at once. *)
val all : text list = List.tabulate (20, fn i => Unix.execute ("/bin/sh", ["-c", "exit " ^ Int.toString i]))
val () = show (String.concatWith ", " (List.map (ended o Unix.reap) all))

val () = show (ended (OS.Process.system "kill -9 $$"))
val () = show (ended (OS.Process.system "exit 3"))
val () = (ignore (Unix.execute ("/none/such", nil) : text); show "?") handle OS.SysErr (_, SOME e) => show (OS.errorName e)
val () = (ignore (Unix.execute ("/bin/\000", nil) : text); show "?") handle OS.SysErr (_, SOME e) => show (OS.errorName e)
val () = (ignore (Posix.Process.wait ()); show "?") handle OS.SysErr (_, SOME e) => show (OS.errorName e)
