(* Sockets. *)

(* The types. Messages print these names. *)
structure Socket =
struct
  (* The descriptor, which is ~1 after the socket was closed. *)
  datatype ('af, 'sock_type) sock = SOCK of int ref
  (* The bytes of the system's structure. *)
  datatype 'af sock_addr = ADDRESS of string
  structure SOCK =
  struct
    datatype sock_type = TYPE of int
  end
end

(* Sockets, and the functions that the structures of the families need. A call that has to wait parks its thread, so the worker runs
   other threads. *)
structure Sockets =
struct
  structure P =
  struct
    val socket = _prim "rt.Socket.socket" : int * int * int -> int
    val pair = _prim "rt.Socket.pair" : int * int * int -> int
    val bind = _prim "rt.Socket.bind" : int * string -> int
    val listen = _prim "rt.Socket.listen" : int * int -> int
    val connect = _prim "rt.Socket.connect" : int * string -> int
    val accept = _prim "rt.Socket.accept" : int -> string
    val receive = _prim "rt.Socket.receive" : int * int * int -> string
    val receiveInto = _prim "rt.Socket.receiveInto" : int * Word8Array.array * int * int * int -> int
    val receiveFrom = _prim "rt.Socket.receiveFrom" : int * int * int -> string
    val sendVec = _prim "rt.Socket.send" : int * Word8Vector.vector * int * int * int -> int
    val sendArr = _prim "rt.Socket.send" : int * Word8Array.array * int * int * int -> int
    val sendVecTo = _prim "rt.Socket.sendTo" : int * string * Word8Vector.vector * int * int * int -> int
    val sendArrTo = _prim "rt.Socket.sendTo" : int * string * Word8Array.array * int * int * int -> int
    val address = _prim "rt.Socket.address" : int * int -> string
    val option = _prim "rt.Socket.option" : int * int * int -> int
    val setOption = _prim "rt.Socket.setOption" : int * int * int * int -> int
    val linger = _prim "rt.Socket.linger" : int -> int
    val setLinger = _prim "rt.Socket.setLinger" : int * int -> int
    val unread = _prim "rt.Socket.unread" : int -> int
    val atMark = _prim "rt.Socket.atMark" : int -> int
    val shutdown = _prim "rt.Socket.shutdown" : int * int -> int
    val close = _prim "rt.Posix.close" : int -> int
  end

  val constant = Ready.constant
  val fail = Ready.fail
  val again = Core.System.errorNumber "again"
  val inprogress = Core.System.errorNumber "inprogress"
  val already = Core.System.errorNumber "already"
  val isconn = Core.System.errorNumber "isconn"
  fun invalid () = fail (Core.System.errorNumber "inval")
  fun closed () = fail (Core.System.errorNumber "badf")
  fun checked result = if result < 0 then fail (~ result) else result
  fun done result = ignore (checked result)

  datatype sock = datatype Socket.sock
  datatype sock_addr = datatype Socket.sock_addr
  datatype family = datatype Hosts.family
  datatype kind = datatype Socket.SOCK.sock_type
  type desc = int ref

  fun number file =
    case ! file of
      descriptor => if descriptor < 0 then closed () else descriptor
  fun file (SOCK file) = number file

  val streams = constant "SOCK_STREAM"
  val datagrams = constant "SOCK_DGRAM"
  fun of' descriptor = SOCK (ref descriptor)
  fun open' arg = of' (checked (P.socket arg))
  fun pair arg =
    let val both = checked (P.pair arg)
    in (of' (both mod 0x100000000), of' (both div 0x100000000))
    end

  (* --- Addresses --- *)

  fun byte n = str (Char.chr n)
  fun short n = byte (n mod 256) ^ byte (n div 256)
  fun zeros n = String.implode (List.tabulate (n, fn _ => #"\000"))
  fun at (text, i) = Char.ord (String.sub (text, i))
  fun port n = if n < 0 orelse n > 65535 then invalid () else byte (n div 256) ^ byte (n mod 256)
  fun portOf text = 256 * at (text, 2) + at (text, 3)
  (* The end of a connection may have no address. *)
  fun familyOf text = if size text < 2 then constant "AF_UNSPEC" else at (text, 0) + 256 * at (text, 1)

  (* --- Waiting --- *)

  (* Returns the result of a call, or NONE if the call would have to wait. *)
  fun result n = if n >= 0 then SOME n else if n = ~ again then NONE else fail (~ n)
  fun textResult text =
    case Core.Io.lastError () of
      0 => SOME text
    | error => if error = again then NONE else fail error

  (* Returns the descriptor and the events for which a thread waits. *)
  fun watched (file, events) =
    let val descriptor = number file
    in (descriptor, events, fn () => ! file = descriptor)
    end
  fun wait (SOCK file, events) = Ready.wait (watched (file, events))

  (* Repeats a call until the call need not wait. *)
  fun until events (sock, call) =
    case call (file sock) of
      SOME x => x
    | NONE => (wait (sock, events); until events (sock, call))
  fun received arg = until Ready.input arg

  (* --- Options --- *)

  fun get (level, name) sock = checked (P.option (file sock, constant level, constant name))
  fun set (level, name) (sock, value) = done (P.setOption (file sock, constant level, constant name, value))
  fun getBool option sock = get option sock <> 0
  fun setBool option (sock, value) = set option (sock, if value then 1 else 0)
  fun getNoDelay sock = getBool ("IPPROTO_TCP", "TCP_NODELAY") sock
  fun setNoDelay arg = setBool ("IPPROTO_TCP", "TCP_NODELAY") arg
end

structure Socket :> SOCKET
  where type ('af, 'sock_type) sock = ('af, 'sock_type) Sockets.sock
  where type 'af sock_addr = 'af Sockets.sock_addr
  where type SOCK.sock_type = Sockets.kind =
struct
  open Sockets
  datatype dgram = DGRAM
  datatype 'mode stream = STREAM
  datatype passive = PASSIVE
  datatype active = ACTIVE

  fun nameIn list x =
    case List.find (fn (_, y) => y = x) list of
      SOME (name, _) => name
    | NONE => "?"
  fun named list name = Option.map #2 (List.find (fn (other, _) => other = name) list)

  structure AF =
  struct
    type addr_family = family
    val all =
      List.map (fn name => (name, FAMILY (constant ("AF_" ^ name)))) ["UNIX", "INET", "INET6", "UNSPEC"]
    fun list () = all
    val toString = nameIn all
    val fromString = named all
  end

  structure SOCK =
  struct
    type sock_type = kind
    val stream = TYPE streams
    val dgram = TYPE datagrams
    val all =
      List.map (fn name => (name, TYPE (constant ("SOCK_" ^ name)))) ["STREAM", "DGRAM", "RAW", "SEQPACKET"]
    fun list () = all
    val toString = nameIn all
    val fromString = named all
  end

  fun addressOf which sock =
    ADDRESS (case textResult (P.address (file sock, which)) of SOME text => text | NONE => "")

  structure Ctl =
  struct
    fun flag name = getBool ("SOL_SOCKET", name)
    fun setFlag name = setBool ("SOL_SOCKET", name)
    fun getDEBUG sock = flag "SO_DEBUG" sock
    fun setDEBUG arg = setFlag "SO_DEBUG" arg
    fun getREUSEADDR sock = flag "SO_REUSEADDR" sock
    fun setREUSEADDR arg = setFlag "SO_REUSEADDR" arg
    fun getKEEPALIVE sock = flag "SO_KEEPALIVE" sock
    fun setKEEPALIVE arg = setFlag "SO_KEEPALIVE" arg
    fun getDONTROUTE sock = flag "SO_DONTROUTE" sock
    fun setDONTROUTE arg = setFlag "SO_DONTROUTE" arg
    fun getBROADCAST sock = flag "SO_BROADCAST" sock
    fun setBROADCAST arg = setFlag "SO_BROADCAST" arg
    fun getOOBINLINE sock = flag "SO_OOBINLINE" sock
    fun setOOBINLINE arg = setFlag "SO_OOBINLINE" arg
    fun getSNDBUF sock = get ("SOL_SOCKET", "SO_SNDBUF") sock
    fun setSNDBUF arg = set ("SOL_SOCKET", "SO_SNDBUF") arg
    fun getRCVBUF sock = get ("SOL_SOCKET", "SO_RCVBUF") sock
    fun setRCVBUF arg = set ("SOL_SOCKET", "SO_RCVBUF") arg
    fun getTYPE sock = TYPE (get ("SOL_SOCKET", "SO_TYPE") sock)
    fun getERROR sock = flag "SO_ERROR" sock
    fun getLINGER sock =
      case checked (P.linger (file sock)) of
        0 => NONE
      | n => SOME (Time.fromSeconds (IntInf.fromInt (n - 1)))
    fun setLINGER (sock, time) =
      done (P.setLinger (file sock, case time of
          NONE => 0
        | SOME time => if Time.< (time, Time.zeroTime) then invalid () else 1 + IntInf.toInt (Time.toSeconds time)))
    fun getPeerName sock = addressOf 1 sock
    fun getSockName sock = addressOf 0 sock
    fun getNREAD sock = checked (P.unread (file sock))
    fun getATMARK sock = checked (P.atMark (file sock)) = 1
  end

  fun sameAddr (ADDRESS a, ADDRESS b) = a = b
  fun familyOfAddr (ADDRESS text) = FAMILY (familyOf text)

  (* --- Connections --- *)

  fun bind (sock, ADDRESS text) = done (P.bind (file sock, text))
  fun listen (sock, room) = done (P.listen (file sock, room))
  (* Masked: if a cancellation ended the thread between the two steps, the new socket would stay open. *)
  fun tryAccept descriptor =
    let
      val () = Core.Thread.mask 1
      val accepted = textResult (P.accept descriptor) handle error => (Core.Thread.mask ~1; raise error)
      fun made text =
        ( of' (at (text, 0) + 256 * (at (text, 1) + 256 * (at (text, 2) + 256 * at (text, 3))))
        , ADDRESS (String.extract (text, 8, NONE)) )
      val result = Option.map made accepted
    in
      Core.Thread.mask ~1;
      result
    end
  fun accept sock = received (sock, tryAccept)
  fun acceptNB sock = tryAccept (file sock)
  fun connectNB (sock, ADDRESS text) =
    case P.connect (file sock, text) of
      0 => true
    | n => if List.exists (fn error => n = ~ error) [inprogress, again, already] then false else fail (~ n)
  fun connect (sock, ADDRESS text) =
    let
      (* A wait may end early. So the function makes the call again, and the call says whether the socket is connected. *)
      fun go hasWaited =
        case P.connect (file sock, text) of
          0 => ()
        | n =>
            if n = ~ inprogress orelse n = ~ already then (wait (sock, Ready.output); go true)
            (* The listener of a local socket has no room at the moment. The system does not report when it has room. *)
            else if n = ~ again then (Ready.pause 1000000; go hasWaited)
            else if n = ~ isconn andalso hasWaited then ()
            else fail (~ n)
    in
      go false
    end
  (* Only the first call gets the descriptor. Masked: if a cancellation ended the thread between the two steps, the socket would stay
     open. *)
  fun close (SOCK file) =
    let
      val descriptor = number file
      val () = Core.Thread.mask 1
      val isFirst = Core.Thread.swap (file, descriptor, ~1) = descriptor
      val result = if isFirst then P.close descriptor else 0
    in
      if isFirst then Core.Thread.closed descriptor else ();
      Core.Thread.mask ~1;
      if isFirst then done result else closed ()
    end
  datatype shutdown_mode = NO_RECVS | NO_SENDS | NO_RECVS_OR_SENDS
  fun shutdown (sock, mode) =
    let val how = case mode of NO_RECVS => "SHUT_RD" | NO_SENDS => "SHUT_WR" | NO_RECVS_OR_SENDS => "SHUT_RDWR"
    in done (P.shutdown (file sock, constant how))
    end

  (* --- Descriptors --- *)

  type sock_desc = desc
  fun sockDesc (SOCK file) = file
  fun sameDesc (a : desc, b) = a = b
  fun ioDesc sock = Descriptor.Number (file sock)
  fun select {rds, wrs, exs, timeout} =
    let
      fun ready (events, also) desc =
        let val found = checked (Ready.events (number desc, events))
        in
          if Ready.has (found, Ready.closed) then closed ()
          else List.exists (fn event => Ready.has (found, event)) (events :: also)
        end
      fun find () =
        let
          val rds = List.filter (ready (Ready.input, [Ready.hangUp, Ready.fault])) rds
          val wrs = List.filter (ready (Ready.output, [Ready.fault])) wrs
          val exs = List.filter (ready (Ready.urgent, nil)) exs
        in
          case (rds, wrs, exs) of
            (nil, nil, nil) => NONE
          | _ => SOME {rds = rds, wrs = wrs, exs = exs}
        end
      fun all (descs, events) = List.map (fn desc => watched (desc, events)) descs
      val descs = all (rds, Ready.input) @ all (wrs, Ready.output) @ all (exs, Ready.urgent)
    in
      Ready.look (find, {rds = nil, wrs = nil, exs = nil}, descs, Option.map Ready.span timeout)
    end

  (* --- Messages --- *)

  type out_flags = {don't_route : bool, oob : bool}
  type in_flags = {peek : bool, oob : bool}
  val noOut = {don't_route = false, oob = false}
  val noIn = {peek = false, oob = false}
  fun either (true, name) = constant name
    | either (false, _) = 0
  fun outBits {don't_route, oob} = either (don't_route, "MSG_DONTROUTE") + either (oob, "MSG_OOB")
  fun inBits {peek, oob} = either (peek, "MSG_PEEK") + either (oob, "MSG_OOB")

  (* Sends all bytes. If the connection fails after a part was sent, returns the length of this part. *)
  fun sendAll send (sock, (base, from, n), flags) =
    let
      val bits = outBits flags
      fun go sent =
        let
          fun call descriptor = result (send (descriptor, base, from + sent, n - sent, bits))
          val count =
            until Ready.output (sock, call)
            handle Core.SysErr error => if sent > 0 then 0 else raise Core.SysErr error
        in
          if count = 0 orelse sent + count = n then sent + count else go (sent + count)
        end
    in
      go 0
    end
  fun sendNB send (sock, (base, from, n), flags) = result (send (file sock, base, from, n, outBits flags))
  fun sendVec' (sock, slice, flags) = sendAll P.sendVec (sock, Word8VectorSlice.base slice, flags)
  fun sendArr' (sock, slice, flags) = sendAll P.sendArr (sock, Word8ArraySlice.base slice, flags)
  fun sendVecNB' (sock, slice, flags) = sendNB P.sendVec (sock, Word8VectorSlice.base slice, flags)
  fun sendArrNB' (sock, slice, flags) = sendNB P.sendArr (sock, Word8ArraySlice.base slice, flags)
  fun sendVec (sock, slice) = sendVec' (sock, slice, noOut)
  fun sendArr (sock, slice) = sendArr' (sock, slice, noOut)
  fun sendVecNB (sock, slice) = sendVecNB' (sock, slice, noOut)
  fun sendArrNB (sock, slice) = sendArrNB' (sock, slice, noOut)

  fun room n = if n < 0 orelse n > Word8Vector.maxLen then raise Size else n
  fun tryRecv (n, flags) descriptor =
    Option.map Byte.stringToBytes (textResult (P.receive (descriptor, room n, inBits flags)))
  fun tryRecvInto (slice, flags) descriptor =
    let val (base, from, n) = Word8ArraySlice.base slice
    in result (P.receiveInto (descriptor, base, from, n, inBits flags))
    end
  fun recvVec' (sock, n, flags) = received (sock, tryRecv (n, flags))
  fun recvArr' (sock, slice, flags) = received (sock, tryRecvInto (slice, flags))
  fun recvVecNB' (sock, n, flags) = tryRecv (n, flags) (file sock)
  fun recvArrNB' (sock, slice, flags) = tryRecvInto (slice, flags) (file sock)
  fun recvVec (sock, n) = recvVec' (sock, n, noIn)
  fun recvArr (sock, slice) = recvArr' (sock, slice, noIn)
  fun recvVecNB (sock, n) = recvVecNB' (sock, n, noIn)
  fun recvArrNB (sock, slice) = recvArrNB' (sock, slice, noIn)

  (* --- Datagrams --- *)

  fun trySendTo send (sock, ADDRESS to, (base, from, n), flags) =
    Option.isSome (result (send (file sock, to, base, from, n, outBits flags)))
  (* A local socket is ready to send even if the receiver has no room, and the system does not report when the receiver has room. *)
  fun sendTo send (arg as (sock, _, _, _)) =
    if trySendTo send arg then ()
    else
      (wait (sock, Ready.output);
       if trySendTo send arg then () else (Ready.pause 1000000; sendTo send arg))
  fun sendVecTo' (sock, to, slice, flags) = sendTo P.sendVecTo (sock, to, Word8VectorSlice.base slice, flags)
  fun sendArrTo' (sock, to, slice, flags) = sendTo P.sendArrTo (sock, to, Word8ArraySlice.base slice, flags)
  fun sendVecToNB' (sock, to, slice, flags) = trySendTo P.sendVecTo (sock, to, Word8VectorSlice.base slice, flags)
  fun sendArrToNB' (sock, to, slice, flags) = trySendTo P.sendArrTo (sock, to, Word8ArraySlice.base slice, flags)
  fun sendVecTo (sock, to, slice) = sendVecTo' (sock, to, slice, noOut)
  fun sendArrTo (sock, to, slice) = sendArrTo' (sock, to, slice, noOut)
  fun sendVecToNB (sock, to, slice) = sendVecToNB' (sock, to, slice, noOut)
  fun sendArrToNB (sock, to, slice) = sendArrToNB' (sock, to, slice, noOut)

  fun tryRecvFrom (n, flags) descriptor =
    Option.map
      (fn text =>
         let val length = at (text, 0)
         in (Byte.stringToBytes (String.extract (text, 1 + length, NONE)), ADDRESS (String.substring (text, 1, length)))
         end)
      (textResult (P.receiveFrom (descriptor, room n, inBits flags)))
  fun into slice (bytes, from) =
    let val (dst, di, _) = Word8ArraySlice.base slice
    in
      Word8Array.copyVec {src = bytes, dst = dst, di = di};
      (Word8Vector.length bytes, from)
    end
  fun recvVecFrom' (sock, n, flags) = received (sock, tryRecvFrom (n, flags))
  fun recvVecFromNB' (sock, n, flags) = tryRecvFrom (n, flags) (file sock)
  fun recvArrFrom' (sock, slice, flags) =
    into slice (recvVecFrom' (sock, Word8ArraySlice.length slice, flags))
  fun recvArrFromNB' (sock, slice, flags) =
    Option.map (into slice) (recvVecFromNB' (sock, Word8ArraySlice.length slice, flags))
  fun recvVecFrom (sock, n) = recvVecFrom' (sock, n, noIn)
  fun recvVecFromNB (sock, n) = recvVecFromNB' (sock, n, noIn)
  fun recvArrFrom (sock, slice) = recvArrFrom' (sock, slice, noIn)
  fun recvArrFromNB (sock, slice) = recvArrFromNB' (sock, slice, noIn)
end
