(* Sockets within this process. The test needs no network except the loopback. *)
fun say s = print (s ^ "\n")
fun text v = Byte.bytesToString v
fun slice t = Word8VectorSlice.full (Byte.stringToBytes t)
val loop = valOf (NetHostDB.fromString "127.0.0.1")
fun err f = (f (); "no error") handle OS.SysErr (_, SOME e) => OS.errorName e | OS.SysErr (m, NONE) => m | e => exnName e
(* Datagrams. *)
val a = INetSock.UDP.socket () and b = INetSock.UDP.socket ()
val () = Socket.bind (a, INetSock.toAddr (loop, 0))
val () = Socket.bind (b, INetSock.toAddr (loop, 0))
val (aa, ba) = (Socket.Ctl.getSockName a, Socket.Ctl.getSockName b)
val () = say (case Socket.recvVecFromNB (b, 10) of NONE => "none" | SOME _ => "some")
val () = Socket.sendVecTo (a, ba, slice "datagram")
val (v, from) = Socket.recvVecFrom (b, 100)
val () = say (text v ^ " " ^ Bool.toString (Socket.sameAddr (from, aa)))
val arr = Word8Array.array (10, 0w46)
val _ = Socket.sendArrToNB (b, aa, Word8ArraySlice.slice (Word8Array.fromList (List.map Word8.fromInt [65,66,67,68,69]), 1, SOME 3))
val (n, from) = Socket.recvArrFrom (a, Word8ArraySlice.slice (arr, 2, SOME 5))
val () = say (Int.toString n ^ " " ^ text (Word8Array.vector arr) ^ Bool.toString (Socket.sameAddr (from, ba)))
(* Local sockets. *)
val path = OS.FileSys.tmpName ()
val () = OS.FileSys.remove path
val l : Socket.passive UnixSock.stream_sock = UnixSock.Strm.socket ()
val () = Socket.bind (l, UnixSock.toAddr path)
val () = Socket.listen (l, 5)
val () = say (Bool.toString (UnixSock.fromAddr (Socket.Ctl.getSockName l) = path))
val c : Socket.active UnixSock.stream_sock = UnixSock.Strm.socket ()
val () = Socket.connect (c, UnixSock.toAddr path)
val (d, p) = Socket.accept l
val () = say ("[" ^ UnixSock.fromAddr p ^ "]")
val _ = Socket.sendArr (c, Word8ArraySlice.full arr)
val () = say (text (Socket.recvVec' (d, 4, {peek = true, oob = false})))
val () = say (Int.toString (Socket.Ctl.getNREAD d))
val got = Word8Array.array (20, 0w45)
val () = say (Int.toString (Socket.recvArr (d, Word8ArraySlice.slice (got, 3, NONE))) ^ text (Word8Array.vector got))
val {rds, wrs, exs} = Socket.select {rds = [Socket.sockDesc d], wrs = [Socket.sockDesc c], exs = [], timeout = NONE}
val () = say (Int.toString (length rds) ^ Int.toString (length wrs))
val t = Time.now ()
val {rds, wrs, exs} = Socket.select {rds = [Socket.sockDesc d], wrs = [], exs = [Socket.sockDesc c], timeout = SOME (Time.fromMilliseconds 50)}
val () = say (Int.toString (length rds) ^ Int.toString (length wrs) ^ Bool.toString (Time.>= (Time.now (), Time.+ (t, Time.fromMilliseconds 50))))
val () = Socket.shutdown (c, Socket.NO_SENDS)
val () = say (Int.toString (Word8Vector.length (Socket.recvVec (d, 4))))
val () = Socket.close d
val () = say (err (fn () => Socket.sendVec (c, slice "x")))
val () = Socket.close c
val () = say (err (fn () => ignore (Socket.recvVec (c, 5))))
val () = say (err (fn () => Socket.close c))
val () = Socket.close l
val () = OS.FileSys.remove path
(* The other end is closed. *)
val (p, q) : Socket.active UnixSock.stream_sock * Socket.active UnixSock.stream_sock = UnixSock.Strm.socketPair ()
val () = Socket.close q
val () = say (err (fn () => Socket.sendVec (p, slice "x")))
val () = Socket.close p
val (x, y) = UnixSock.DGrm.socketPair ()
val () = say (err (fn () => Socket.sendVecTo (x, UnixSock.toAddr "/nonexistent/x", slice "m")))
(* Errors. *)
val s : Socket.active INetSock.stream_sock = INetSock.TCP.socket ()
val tmp : Socket.passive INetSock.stream_sock = INetSock.TCP.socket ()
val () = Socket.bind (tmp, INetSock.toAddr (loop, 0))
val port = Socket.Ctl.getSockName tmp
val () = say (err (fn () => Socket.connect (s, port)))
val () = say (err (fn () => Socket.bind (s, port)))
val () = say (err (fn () => ignore (Socket.Ctl.getPeerName tmp)))
val () = say (err (fn () => Socket.sendVec (s, slice "x")))
val () = say (Bool.toString (OS.syserror "ECONNREFUSED" = OS.syserror "connrefused" andalso isSome (OS.syserror "connrefused")))
(* Options. *)
val () = Socket.Ctl.setREUSEADDR (tmp, true)
val () = say (Bool.toString (Socket.Ctl.getREUSEADDR tmp))
val () = Socket.Ctl.setKEEPALIVE (tmp, true)
val () = say (Bool.toString (Socket.Ctl.getKEEPALIVE tmp))
val () = Socket.Ctl.setLINGER (tmp, SOME (Time.fromSeconds 3))
val () = say (case Socket.Ctl.getLINGER tmp of SOME t => Time.toString t | NONE => "none")
val () = Socket.Ctl.setLINGER (tmp, NONE)
val () = say (case Socket.Ctl.getLINGER tmp of SOME t => Time.toString t | NONE => "none")
val () = INetSock.TCP.setNODELAY (tmp, true)
val () = say (Bool.toString (INetSock.TCP.getNODELAY tmp))
val () = Socket.Ctl.setRCVBUF (tmp, 10000)
val () = say (Bool.toString (Socket.Ctl.getRCVBUF tmp >= 10000))
val () = say (Socket.SOCK.toString (Socket.Ctl.getTYPE tmp) ^ " " ^ Socket.AF.toString (Socket.familyOfAddr port) ^ Bool.toString (Socket.Ctl.getERROR tmp))
val () = List.app (fn s => say (case NetHostDB.fromString s of NONE => s ^ " -" | SOME a => s ^ " " ^ NetHostDB.toString a))
  ["1.2.3.4", "127.1", "1.2.3", "0x7f000001", "017.1", "256.1.1.1", "1.2.3.4.5", "x", "1.2.x", "", "4294967295", "4294967296", "1.2.3.256", "0"]
val () = List.app (fn s => say (case Net6HostDB.fromString s of NONE => s ^ " -" | SOME a => s ^ " " ^ Net6HostDB.toString a))
  ["::1", "fe80::1:0:0:2", "1:2:3:4:5:6:7:8", "::ffff:1.2.3.4", "zz", "::", "1:2", "::1 "]
(* If the system does not have version 6, this part checks nothing. *)
fun by6 () =
  let
    val s6 : Socket.passive INet6Sock.stream_sock = INet6Sock.TCP.socket ()
    val () = Socket.bind (s6, INet6Sock.toAddr (valOf (Net6HostDB.fromString "::1"), 0))
    val () = Socket.listen (s6, 1)
    val c : Socket.active INet6Sock.stream_sock = INet6Sock.TCP.socket ()
    val () = Socket.connect (c, Socket.Ctl.getSockName s6)
    val (d, peer) = Socket.accept s6
    val (address, port) = INet6Sock.fromAddr peer
  in
    List.app Socket.close [c, d];
    Socket.close s6;
    Net6HostDB.toString address = "::1" andalso port > 0
      andalso Socket.familyOfAddr peer = INet6Sock.inet6AF
  end
val () = say (Bool.toString (by6 () handle OS.SysErr _ => true))
val () = say (Bool.toString (Net6HostDB.fromString "::1" = Net6HostDB.fromString "0:0:0:0:0:0:0:1"))
val () = say (Int.toString (#2 (INetSock.fromAddr (INetSock.any 80))) ^ " " ^ NetHostDB.toString (#1 (INetSock.fromAddr (INetSock.any 80))))
val () = say (err (fn () => ignore (INetSock.any 65536)) ^ " " ^ err (fn () => ignore (UnixSock.toAddr (CharVector.tabulate (200, fn _ => #"x")))))
(* A lookup of this host's names needs no network. *)
val () = say (case NetHostDB.getByName "localhost" of NONE => "none" | SOME e => NetHostDB.toString (NetHostDB.addr e))
val () = say (case NetHostDB.getByName "127.0.0.1" of NONE => "none" | SOME e => NetHostDB.toString (NetHostDB.addr e))
val () = say (case NetHostDB.getByName "" of NONE => "none" | SOME e => NetHostDB.name e)
val () = say (Bool.toString (Socket.AF.fromString "INET" = SOME INetSock.inetAF) ^ Bool.toString (isSome (Socket.AF.fromString "XY")))
(* Without such a database, a lookup finds nothing. If it finds an entry, the entry must be right. *)
fun all f e = Option.getOpt (Option.map f e, true)
val () = say (Bool.toString (all (fn e => NetProtDB.protocol e = 6) (NetProtDB.getByName "tcp")
  andalso all (fn e => NetProtDB.name e = "udp") (NetProtDB.getByNumber 17)
  andalso all (fn e => NetServDB.port e = 80 andalso NetServDB.protocol e = "tcp") (NetServDB.getByName ("http", SOME "tcp"))
  andalso all (fn e => NetServDB.name e = "ssh") (NetServDB.getByPort (22, SOME "tcp"))
  andalso not (isSome (NetProtDB.getByName "no such protocol")) andalso not (isSome (NetServDB.getByPort (70000, NONE)))))
val () = say (Bool.toString (NetHostDB.getHostName () <> ""))
(* OS.IO *)
fun kind io =
  valOf (List.find (fn (k, _) => k = OS.IO.kind io)
    [(OS.IO.Kind.socket, "socket"), (OS.IO.Kind.file, "file"), (OS.IO.Kind.dir, "dir"), (OS.IO.Kind.pipe, "pipe"),
     (OS.IO.Kind.device, "device"), (OS.IO.Kind.tty, "tty")])
val {infd, outfd} = Posix.IO.pipe ()
val pipeIn = Posix.FileSys.fdToIOD infd
val null' = Posix.FileSys.openf ("/dev/null", Posix.FileSys.O_RDONLY, Posix.FileSys.O.flags [])
val file = TextIO.openOut path
val fileDesc =
  case TextIO.StreamIO.getWriter (TextIO.getOutstream file) of (TextPrimIO.WR {ioDesc, ...}, _) => valOf ioDesc
val () = say (String.concatWith " " (List.map (#2 o kind) [Socket.ioDesc tmp, pipeIn, Posix.FileSys.fdToIOD null', fileDesc]))
val () = OS.FileSys.remove path
val () = say (Bool.toString (OS.IO.compare (pipeIn, pipeIn) = EQUAL andalso OS.IO.hash pipeIn = OS.IO.hash pipeIn
  andalso Posix.FileSys.iodToFD pipeIn = SOME infd))
val wanted = [OS.IO.pollIn (valOf (OS.IO.pollDesc pipeIn)), OS.IO.pollOut (valOf (OS.IO.pollDesc (Posix.FileSys.fdToIOD outfd)))]
fun polled () =
  String.concat (List.map
    (fn info => (if OS.IO.isIn info then "in" else "") ^ (if OS.IO.isOut info then "out" else "") ^ ";")
    (OS.IO.poll (wanted, SOME Time.zeroTime)))
val () = say (polled ())
val _ = Posix.IO.writeVec (outfd, slice "x")
val () = say (polled ())
val _ = Posix.IO.readVec (infd, 1)
val () = Posix.IO.close outfd
val () = say (err (fn () => ignore (polled ())))
val atEnd = OS.IO.poll ([hd wanted], NONE)
val () = say (Bool.toString (OS.IO.isIn (hd atEnd)) ^ Int.toString (length atEnd))
val g : (INetSock.inet, Socket.dgram) Socket.sock = GenericSock.socket (INetSock.inetAF, Socket.SOCK.dgram)
val () = say (Socket.SOCK.toString (Socket.Ctl.getTYPE g))
val () = say (err (fn () => ignore (GenericSock.socket' (INetSock.inetAF, Socket.SOCK.dgram, 6) : (INetSock.inet, Socket.dgram) Socket.sock)))
(* A close wakes the threads that wait. *)
val l : Socket.passive INetSock.stream_sock = INetSock.TCP.socket ()
val () = Socket.bind (l, INetSock.toAddr (loop, 0))
val () = Socket.listen (l, 5)
val done : string CML.chan = CML.channel ()
val _ = CML.spawn (fn () => CML.send (done, err (fn () => ignore (Socket.accept l))))
val () = OS.Process.sleep (Time.fromMilliseconds 30)
val () = CML.yield ()
val () = Socket.close l
val () = say (CML.recv done)
