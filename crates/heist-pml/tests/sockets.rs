//! Tests sockets, on several workers and in many modes (`modes/mod.rs`). The programs have threads, and sides of forks, that wait for each
//! other through sockets.

mod modes;

use std::process::ExitCode;

/// The declarations that the test puts before each program.
const COMMON: &str = r#"
open CML
type 'mode tcp = (INetSock.inet, 'mode Socket.stream) Socket.sock
type 'mode local' = (UnixSock.unix, 'mode Socket.stream) Socket.sock
fun slice text = Word8VectorSlice.full (Byte.stringToBytes text)
val text = Byte.bytesToString
val this = valOf (NetHostDB.fromString "127.0.0.1")
fun listening () =
  let val socket : Socket.passive tcp = INetSock.TCP.socket ()
  in
    Socket.bind (socket, INetSock.toAddr (this, 0));
    Socket.listen (socket, 16);
    socket
  end
fun connected listener =
  let val socket : Socket.active tcp = INetSock.TCP.socket ()
  in
    Socket.connect (socket, Socket.Ctl.getSockName listener);
    socket
  end
fun echo client =
  case Socket.recvVec (client, 1000) of
    v =>
      if Word8Vector.length v = 0 then Socket.close client
      else (ignore (Socket.sendVec (client, Word8VectorSlice.full v)); echo client)
fun serve listener =
  let val (client, _) = Socket.accept listener
  in
    ignore (CML.spawn (fn () => echo client));
    serve listener
  end
(* Sends a text, and receives as many bytes, by arrays. *)
fun exchange socket text =
  let
    val got = Word8Array.array (size text, 0w0)
    fun fill at =
      if at = size text then ()
      else
        case Socket.recvArr (socket, Word8ArraySlice.slice (got, at, NONE)) of
          0 => raise Fail "the end"
        | n => fill (at + n)
  in
    ignore (Socket.sendVec (socket, slice text));
    fill 0;
    if Byte.bytesToString (Word8Array.vector got) = text then () else raise Fail "other bytes"
  end
fun times (0, _) = ()
  | times (n, f) = (f n : unit; times (n - 1, f))
fun say true = print "done\n"
  | say false = print "wrong\n"
"#;

/// The test programs, each with its name. Each program prints one line.
const PROGRAMS: &[(&str, &str)] = &[
    (
        "eight clients of one server",
        r#"
        val listener = listening ()
        val _ = CML.spawn (fn () => serve listener)
        val result : int chan = channel ()
        fun client k =
          let val socket = connected listener
          in
            times (Int.max (2, SIZE div 2000), fn i =>
              exchange socket (concat (List.tabulate (i mod 7 + 1, fn j => Int.toString (i * j * k) ^ ","))));
            Socket.close socket;
            send (result, k)
          end
        val () = times (8, fn k => ignore (CML.spawn (fn () => client k)))
        val sum = ref 0
        val () = times (8, fn _ => sum := ! sum + recv result)
        val () = say (! sum = 36)
        "#,
    ),
    (
        "local sockets, and more bytes than there is room for",
        r#"
        val (a, b) : Socket.active local' * Socket.active local' = UnixSock.Strm.socketPair ()
        val () = Socket.Ctl.setSNDBUF (a, 4096)
        val bytes = Int.max (20000, SIZE * 5)
        val sent : int chan = channel ()
        val _ = CML.spawn (fn () => send (sent, Socket.sendVec (a, slice (CharVector.tabulate (bytes, fn i => chr (i mod 251))))))
        fun check at =
          if at = bytes then true
          else
            let
              val v = Socket.recvVec (b, 3000)
              fun right i = i = Word8Vector.length v orelse
                Word8.toInt (Word8Vector.sub (v, i)) = (at + i) mod 251 andalso right (i + 1)
            in
              Word8Vector.length v > 0 andalso right 0 andalso check (at + Word8Vector.length v)
            end
        val () = say (check 0 andalso recv sent = bytes)
        "#,
    ),
    (
        "parts of a fork wait for each other",
        r#"
        val listener = listening ()
        fun answer () =
          let val (client, _) = Socket.accept listener
          in
            echo client;
            1
          end
        fun ask () =
          let val socket = connected listener
          in
            times (2, fn i => exchange socket (Int.toString i));
            Socket.close socket;
            2
          end
        fun both 0 = 0
          | both n = let val (x, y) = (| answer (), ask () |) in x + y + both (n - 1) end
        val n = Int.max (2, SIZE div 5000)
        val () = say (both n = 3 * n)
        "#,
    ),
    (
        "a thread that waits does not keep others from running",
        r#"
        val (a, b) : Socket.active local' * Socket.active local' = UnixSock.Strm.socketPair ()
        val heard : string chan = channel ()
        val () = times (4, fn _ => ignore (CML.spawn (fn () => send (heard, text (Socket.recvVec (b, 1))))))
        fun fib n = if n < 2 then n else fib (n - 1) + fib (n - 2)
        val counted : int chan = channel ()
        val () = times (4, fn k => ignore (CML.spawn (fn () => send (counted, fib (10 + k)))))
        val sum = ref 0
        val () = times (4, fn _ => sum := ! sum + recv counted)
        val _ = Socket.sendVec (a, slice "abcd")
        val all = ref ""
        val () = times (4, fn _ => all := ! all ^ recv heard)
        val () = say (! sum = 89 + 144 + 233 + 377 andalso List.all (Char.contains (! all)) (explode "abcd"))
        "#,
    ),
    (
        "datagrams of several threads, and a receiver without room",
        r#"
        val (a, b) = UnixSock.DGrm.socketPair ()
        val n = Int.max (10, SIZE div 500)
        val path = OS.FileSys.tmpName ()
        val () = OS.FileSys.remove path
        val receiver = UnixSock.DGrm.socket ()
        val () = Socket.bind (receiver, UnixSock.toAddr path)
        fun sender k =
          let val socket = UnixSock.DGrm.socket ()
          in
            times (n, fn i => Socket.sendVecTo (socket, UnixSock.toAddr path, slice (Int.toString (k * i))));
            Socket.close socket
          end
        val () = times (3, fn k => ignore (CML.spawn (fn () => sender k)))
        val sum = ref 0
        val () = times (3 * n, fn _ =>
          sum := ! sum + valOf (Int.fromString (text (#1 (Socket.recvVecFrom (receiver, 20))))))
        val () = OS.FileSys.remove path
        val () = say (! sum = 3 * n * (n + 1))
        "#,
    ),
    (
        "a close wakes those that wait, and they keep no program from its end",
        r#"
        val listener = listening ()
        val ended : string chan = channel ()
        fun waits () = (ignore (Socket.accept listener); "a connection") handle OS.SysErr (_, SOME e) => OS.errorName e
        val () = times (3, fn _ => ignore (CML.spawn (fn () => send (ended, waits ()))))
        val () = sync (timeOutEvt (Time.fromMilliseconds 20))
        val () = Socket.close listener
        val all = List.tabulate (3, fn _ => recv ended)
        (* A socket that nothing is sent to counts as something to wait for; none is left here. *)
        val stuck = (recv ended; false) handle CML.Deadlock _ => true
        val left = listening ()
        val _ = CML.spawn (fn () => ignore (Socket.accept left))
        val () = say (all = ["badf", "badf", "badf"] andalso stuck)
        "#,
    ),
    (
        "select and poll wait for what comes first",
        r#"
        val pairs : (Socket.active local' * Socket.active local') list =
          List.tabulate (4, fn _ => UnixSock.Strm.socketPair ())
        val descs = List.map (Socket.sockDesc o #2) pairs
        val poll = List.map (fn (_, b) => OS.IO.pollIn (valOf (OS.IO.pollDesc (Socket.ioDesc b)))) pairs
        fun wait timeout = Socket.select {rds = descs, wrs = nil, exs = nil, timeout = timeout}
        val none = null (#rds (wait (SOME (Time.fromMilliseconds 5))))
          andalso null (OS.IO.poll (poll, SOME (Time.fromMilliseconds 5)))
        fun turn k =
          let
            val (a, b) = List.nth (pairs, k mod 4)
            val _ = CML.spawn (fn () => ignore (Socket.sendVec (a, slice "x")))
            val right =
              if k mod 2 = 0 then
                case #rds (wait NONE) of [desc] => Socket.sameDesc (desc, Socket.sockDesc b) | _ => false
              else
                case OS.IO.poll (poll, NONE) of
                  [info] => OS.IO.isIn info andalso
                    OS.IO.pollToIODesc (OS.IO.infoToPollDesc info) = Socket.ioDesc b
                | _ => false
          in
            if right andalso text (Socket.recvVec (b, 5)) = "x" then () else raise Fail "another"
          end
        val () = times (Int.max (4, SIZE div 5000), turn)
        val () = say none
        "#,
    ),
    (
        "a wait that was cancelled hides no deadlock",
        r#"
        val (_, b) : Socket.active local' * Socket.active local' = UnixSock.Strm.socketPair ()
        fun slow n = if n = 0 then raise Fail "over" else (sync (timeOutEvt (Time.fromMilliseconds 1)); slow (n - 1))
        fun cancelled n =
          ignore (| slow n, Word8Vector.length (Socket.recvVec (b, 1)) |) handle Fail _ => ()
        val () = times (5, cancelled)
        val stuck = (ignore (recv (channel () : int chan)); false) handle CML.Deadlock _ => true
        val () = say stuck
        "#,
    ),
    (
        "what closes a descriptor wakes those that wait for it",
        r#"
        val (a, _) : Socket.active local' * Socket.active local' = UnixSock.Strm.socketPair ()
        val file = valOf (Posix.FileSys.iodToFD (Socket.ioDesc a))
        val {infd, outfd} = Posix.IO.pipe ()
        val poll = valOf (OS.IO.pollDesc (Posix.FileSys.fdToIOD infd))
        val ended : string chan = channel ()
        fun waits f = CML.spawn (fn () => send (ended, (ignore (f ()); "no error") handle OS.SysErr (_, SOME e) => OS.errorName e))
        val _ = waits (fn () => Socket.recvVec (a, 5))
        val _ = waits (fn () => OS.IO.poll ([OS.IO.pollIn poll], NONE))
        val () = sync (timeOutEvt (Time.fromMilliseconds 20))
        val () = Posix.IO.close file
        val () = Posix.IO.dup2 {old = outfd, new = infd}
        val first = recv ended
        (* The pipe has no end to read from any more, and is ready for that reason. *)
        val second = recv ended
        val () = say (first = "badf" orelse second = "badf")
        "#,
    ),
    (
        "errors of connections",
        r#"
        val listener = listening ()
        val socket = connected listener
        fun name f = (f (); "no error") handle OS.SysErr (_, SOME e) => OS.errorName e
        fun again () = Socket.connect (socket, Socket.Ctl.getSockName listener)
        val twice = [name again, name again]
        val free : INetSock.dgram_sock = INetSock.UDP.socket ()
        val () = Socket.bind (free, INetSock.toAddr (this, 0))
        val nobody = Socket.Ctl.getSockName free
        val () = Socket.close free
        val sender : INetSock.dgram_sock = INetSock.UDP.socket ()
        val () = Socket.connect (sender, nobody)
        val () = ignore (Socket.sendVecTo (sender, nobody, slice "x")) handle OS.SysErr _ => ()
        val poll = OS.IO.pollIn (valOf (OS.IO.pollDesc (Socket.ioDesc sender)))
        val polled = List.length (OS.IO.poll ([poll], NONE))
        val selected = List.length (#rds (Socket.select {rds = [Socket.sockDesc sender], wrs = nil, exs = nil, timeout = NONE}))
        val received = name (fn () => ignore (Socket.recvVecFrom (sender, 10)))
        val () = say (twice = ["isconn", "isconn"] andalso polled = 1 andalso selected = 1 andalso received = "connrefused")
        "#,
    ),
    (
        "threads write to a process, read from it, and wait for its end",
        r#"
        val process : (TextIO.instream, TextIO.outstream) Unix.proc = Unix.execute ("/bin/cat", nil)
        val read : string chan = channel ()
        val _ = CML.spawn (fn () => send (read, TextIO.inputAll (Unix.textInstreamOf process)))
        val all = CharVector.tabulate (Int.max (100000, SIZE), fn i => chr (65 + i mod 26))
        val () = TextIO.output (Unix.textOutstreamOf process, all)
        val () = TextIO.closeOut (Unix.textOutstreamOf process)
        val same = recv read = all
        val ended : bool chan = channel ()
        val () = times (3, fn _ => ignore (CML.spawn (fn () => send (ended, OS.Process.isSuccess (Unix.reap process)))))
        val ends = List.tabulate (3, fn _ => recv ended)
        (* Another wait for the process has its status. A second call of `reap` then closes no descriptor that has its number. *)
        val other : (TextIO.instream, TextIO.outstream) Unix.proc = Unix.execute ("/bin/true", nil)
        val _ = Posix.Process.wait ()
        fun fails () = (ignore (Unix.reap other); false) handle OS.SysErr (_, SOME e) => OS.errorName e = "child"
        val first = fails ()
        val files = List.tabulate (2, fn _ => Posix.FileSys.openf ("/dev/zero", Posix.FileSys.O_RDONLY, Posix.FileSys.O.flags []))
        val second = fails ()
        val lengths = List.map (fn file => Word8Vector.length (Posix.IO.readVec (file, 10))) files
        val () = say (same andalso List.all (fn x => x) ends andalso first andalso second andalso lengths = [10, 10])
        "#,
    ),
];

fn main() -> ExitCode {
    let programs: Vec<(&str, String)> = PROGRAMS
        .iter()
        .map(|(name, text)| (*name, format!("{COMMON}{text}")))
        .collect();
    modes::main(&programs, None)
}
