(* Child processes, whose standard input and output are streams of this program. *)

signature UNIX =
sig
  type ('a, 'b) proc
  type signal
  datatype exit_status = W_EXITED | W_EXITSTATUS of Word8.word | W_SIGNALED of signal | W_STOPPED of signal
  val fromStatus : OS.Process.status -> exit_status
  val executeInEnv : string * string list * string list -> ('a, 'b) proc
  val execute : string * string list -> ('a, 'b) proc
  val textInstreamOf : (TextIO.instream, 'a) proc -> TextIO.instream
  val binInstreamOf : (BinIO.instream, 'a) proc -> BinIO.instream
  val textOutstreamOf : ('a, TextIO.outstream) proc -> TextIO.outstream
  val binOutstreamOf : ('a, BinIO.outstream) proc -> BinIO.outstream
  val streamsOf : (TextIO.instream, TextIO.outstream) proc -> TextIO.instream * TextIO.outstream
  val reap : ('a, 'b) proc -> OS.Process.status
  val kill : ('a, 'b) proc * signal -> unit
  val exit : Word8.word -> 'a
end

structure Unix :> UNIX where type signal = Posix.Signal.signal where type exit_status = Posix.Process.exit_status =
struct
  type signal = Posix.Signal.signal
  datatype exit_status = datatype Posix.Process.exit_status
  val fromStatus = Posix.Process.fromStatus

  (* The arguments are the program; the arguments and the environment, with a zero byte after each string; whether an environment is
     given; whether to search for the program; and the standard input and output. *)
  val spawn = _prim "rt.Posix.spawn" : string * string * string * int * int * int * int -> int
  val wait = _prim "rt.Posix.wait" : int * int -> int
  fun checked result = if result < 0 then raise OS.SysErr (OS.errorMsg (~ result), SOME (~ result)) else result
  fun packed list =
    if List.exists (CharVector.exists (fn c => c = #"\000")) list then
      raise OS.SysErr ("Invalid argument", OS.syserror "inval")
    else concat (List.map (fn s => s ^ "\000") list)
  fun number file = SysWord.toInt (Posix.FileSys.fdToWord file)

  (* The ends of two pipes, and the streams on these ends. `'a` is the type of the stream from the process to the program. Only a thread
     that holds `lock` makes streams and closes ends. *)
  type ('a, 'b) proc =
    { pid : int
    , from : Posix.IO.file_desc
    , to : Posix.IO.file_desc
    , lock : unit SyncVar.mvar
    , instream : 'a option ref
    , outstream : 'b option ref
    , closeIn : (unit -> unit) ref
    , closeOut : (unit -> unit) ref
    , status : OS.Process.status option ref }

  (* Masked, so that a cancelled thread still releases the lock. *)
  fun locked (lock, f) =
    let
      val () = (Core.Thread.mask 1; SyncVar.mTake lock)
      val result = f () handle e => (SyncVar.mPut (lock, ()); Core.Thread.mask ~1; raise e)
    in
      SyncVar.mPut (lock, ());
      Core.Thread.mask ~1;
      result
    end

  fun executeIn (program, arguments, environment) =
    let
      val {infd = input, outfd = to} = Posix.IO.pipe ()
      val {infd = from, outfd = output} =
        Posix.IO.pipe () handle e => (Posix.IO.close input; Posix.IO.close to; raise e)
      fun closeTheirs () = (Posix.IO.close input; Posix.IO.close output)
      fun closeOurs () = (Posix.IO.close from; Posix.IO.close to)
      val pid =
        checked
          (spawn
            ( program, packed (OS.Path.file program :: arguments), packed (getOpt (environment, nil))
            , if isSome environment then 1 else 0, 0, number input, number output ))
        handle e => (closeTheirs (); closeOurs (); raise e)
    in
      closeTheirs ();
      { pid = pid, from = from, to = to, lock = SyncVar.mVarInit (), instream = ref NONE, outstream = ref NONE
      , closeIn = ref (fn () => Posix.IO.close from), closeOut = ref (fn () => Posix.IO.close to), status = ref NONE }
    end
  fun executeInEnv (program, arguments, environment) = executeIn (program, arguments, SOME environment)
  fun execute (program, arguments) = executeIn (program, arguments, NONE)

  (* Returns the stream. The first call makes it. *)
  fun once (lock, cell, close, make, closeStream) =
    locked (lock, fn () =>
      case ! cell of
        SOME stream => stream
      | NONE =>
          let val stream = make ()
          in
            cell := SOME stream;
            close := (fn () => closeStream stream);
            stream
          end)
  fun textInstreamOf ({from, lock, instream, closeIn, ...} : (TextIO.instream, 'a) proc) =
    once
      ( lock, instream, closeIn
      , fn () =>
          TextIO.mkInstream
            (TextIO.StreamIO.mkInstream (Posix.IO.mkTextReader {fd = from, name = "<process>", initBlkMode = true}, ""))
      , TextIO.closeIn )
  fun binInstreamOf ({from, lock, instream, closeIn, ...} : (BinIO.instream, 'a) proc) =
    once
      ( lock, instream, closeIn
      , fn () =>
          BinIO.mkInstream
            (BinIO.StreamIO.mkInstream
              (Posix.IO.mkBinReader {fd = from, name = "<process>", initBlkMode = true}, Word8Vector.fromList nil))
      , BinIO.closeIn )
  fun ends to = {fd = to, name = "<process>", appendMode = false, initBlkMode = true, chunkSize = 4096}
  fun textOutstreamOf ({to, lock, outstream, closeOut, ...} : ('a, TextIO.outstream) proc) =
    once
      ( lock, outstream, closeOut
      , fn () => TextIO.mkOutstream (TextIO.StreamIO.mkOutstream (Posix.IO.mkTextWriter (ends to), IO.BLOCK_BUF))
      , TextIO.closeOut )
  fun binOutstreamOf ({to, lock, outstream, closeOut, ...} : ('a, BinIO.outstream) proc) =
    once
      ( lock, outstream, closeOut
      , fn () => BinIO.mkOutstream (BinIO.StreamIO.mkOutstream (Posix.IO.mkBinWriter (ends to), IO.BLOCK_BUF))
      , BinIO.closeOut )
  fun streamsOf proc = (textInstreamOf proc, textOutstreamOf proc)

  fun taken (lock, cell) = locked (lock, fn () => ! cell before cell := (fn () => ()))

  (* The process may have ended before it has read its whole input, so an error in closing its input means nothing. Each end is closed
     once, even if several threads wait for the process. These threads check whether the process has ended, and let other threads run
     between two checks: for 50 us at first, then for longer, at most 10 ms. *)
  fun reap ({pid, lock, closeIn, closeOut, status, ...} : ('a, 'b) proc) =
    let
      val () = taken (lock, closeOut) () handle _ => ()
      val () = taken (lock, closeIn) ()
      fun ended () =
        case ! status of
          SOME _ => ()
        | NONE =>
            case checked (wait (pid, Ready.constant "WNOHANG")) of
              0 => ()
            | both => status := SOME (both mod 0x100000000)
      fun await span =
        case (locked (lock, ended); ! status) of
          SOME status => status
        | NONE => (Ready.pause span; await (Int.min (2 * span, 10000000)))
    in
      await 50000
    end
  fun kill ({pid, ...} : ('a, 'b) proc, signal) =
    Posix.Process.kill (Posix.Process.K_PROC (Posix.Process.wordToPid (SysWord.fromInt pid)), signal)
  fun exit code = OS.Process.exit (Word8.toInt code)
end
