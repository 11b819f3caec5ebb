(* Sockets of each family of addresses. *)

signature GENERIC_SOCK =
sig
  val socket : Socket.AF.addr_family * Socket.SOCK.sock_type -> ('af, 'sock_type) Socket.sock
  val socketPair :
    Socket.AF.addr_family * Socket.SOCK.sock_type -> ('af, 'sock_type) Socket.sock * ('af, 'sock_type) Socket.sock
  (* The functions whose names end in ' have a protocol as an additional argument. *)
  val socket' : Socket.AF.addr_family * Socket.SOCK.sock_type * int -> ('af, 'sock_type) Socket.sock
  val socketPair' :
    Socket.AF.addr_family * Socket.SOCK.sock_type * int -> ('af, 'sock_type) Socket.sock * ('af, 'sock_type) Socket.sock
end

signature INET_SOCK =
sig
  type inet
  type 'sock_type sock = (inet, 'sock_type) Socket.sock
  type 'mode stream_sock = 'mode Socket.stream sock
  type dgram_sock = Socket.dgram sock
  type sock_addr = inet Socket.sock_addr
  val inetAF : Socket.AF.addr_family
  val toAddr : NetHostDB.in_addr * int -> sock_addr
  val fromAddr : sock_addr -> NetHostDB.in_addr * int
  val any : int -> sock_addr
  structure UDP :
  sig
    val socket : unit -> dgram_sock
    val socket' : int -> dgram_sock
  end
  structure TCP :
  sig
    val socket : unit -> 'mode stream_sock
    val socket' : int -> 'mode stream_sock
    val getNODELAY : 'mode stream_sock -> bool
    val setNODELAY : 'mode stream_sock * bool -> unit
  end
end

(* As INET_SOCK for version 6 of the protocol, with the names of Poly/ML. *)
signature INET6_SOCK =
sig
  type inet6
  type 'sock_type sock = (inet6, 'sock_type) Socket.sock
  type 'mode stream_sock = 'mode Socket.stream sock
  type dgram_sock = Socket.dgram sock
  type sock_addr = inet6 Socket.sock_addr
  val inet6AF : Socket.AF.addr_family
  val toAddr : Net6HostDB.in_addr * int -> sock_addr
  val fromAddr : sock_addr -> Net6HostDB.in_addr * int
  val any : int -> sock_addr
  structure UDP :
  sig
    val socket : unit -> dgram_sock
    val socket' : int -> dgram_sock
  end
  structure TCP :
  sig
    val socket : unit -> 'mode stream_sock
    val socket' : int -> 'mode stream_sock
    val getNODELAY : 'mode stream_sock -> bool
    val setNODELAY : 'mode stream_sock * bool -> unit
  end
end

signature UNIX_SOCK =
sig
  type unix
  type 'sock_type sock = (unix, 'sock_type) Socket.sock
  type 'mode stream_sock = 'mode Socket.stream sock
  type dgram_sock = Socket.dgram sock
  type sock_addr = unix Socket.sock_addr
  val unixAF : Socket.AF.addr_family
  val toAddr : string -> sock_addr
  val fromAddr : sock_addr -> string
  structure Strm :
  sig
    val socket : unit -> 'mode stream_sock
    val socketPair : unit -> 'mode stream_sock * 'mode stream_sock
  end
  structure DGrm :
  sig
    val socket : unit -> dgram_sock
    val socketPair : unit -> dgram_sock * dgram_sock
  end
end

structure GenericSock : GENERIC_SOCK =
struct
  open Sockets
  fun socket' (FAMILY family, TYPE kind, protocol) = open' (family, kind, protocol)
  fun socketPair' (FAMILY family, TYPE kind, protocol) = pair (family, kind, protocol)
  fun socket (family, kind) = socket' (family, kind, 0)
  fun socketPair (family, kind) = socketPair' (family, kind, 0)
end

(* The transport protocols of one version of the internet protocol. *)
functor Protocols (val family : int) =
struct
  structure UDP =
  struct
    fun socket' protocol = Sockets.open' (family, Sockets.datagrams, protocol)
    fun socket () = socket' 0
  end
  structure TCP =
  struct
    fun socket' protocol = Sockets.open' (family, Sockets.streams, protocol)
    fun socket () = socket' 0
    val getNODELAY = Sockets.getNoDelay
    val setNODELAY = Sockets.setNoDelay
  end
end

structure INetSock :> INET_SOCK =
struct
  datatype inet = INET
  type 'sock_type sock = (inet, 'sock_type) Socket.sock
  type 'mode stream_sock = 'mode Socket.stream sock
  type dgram_sock = Socket.dgram sock
  type sock_addr = inet Socket.sock_addr
  val family = Ready.constant "AF_INET"
  val inetAF = Hosts.FAMILY family
  fun toAddr (Hosts.IN bytes, port) =
    Sockets.ADDRESS (concat [Sockets.short family, Sockets.port port, bytes, Sockets.zeros 8])
  fun fromAddr (Sockets.ADDRESS text) =
    if Sockets.familyOf text <> family then Sockets.invalid ()
    else (Hosts.IN (String.substring (text, 4, 4)), Sockets.portOf text)
  fun any port = toAddr (Hosts.IN (Sockets.zeros 4), port)
  structure Both = Protocols (val family = family)
  open Both
end

structure INet6Sock :> INET6_SOCK =
struct
  datatype inet6 = INET6
  type 'sock_type sock = (inet6, 'sock_type) Socket.sock
  type 'mode stream_sock = 'mode Socket.stream sock
  type dgram_sock = Socket.dgram sock
  type sock_addr = inet6 Socket.sock_addr
  val family = Ready.constant "AF_INET6"
  val inet6AF = Hosts.FAMILY family
  (* The flow and the scope of the address are 0. *)
  fun toAddr (Hosts.IN6 bytes, port) =
    Sockets.ADDRESS (concat [Sockets.short family, Sockets.port port, Sockets.zeros 4, bytes, Sockets.zeros 4])
  fun fromAddr (Sockets.ADDRESS text) =
    if Sockets.familyOf text <> family then Sockets.invalid ()
    else (Hosts.IN6 (String.substring (text, 8, 16)), Sockets.portOf text)
  fun any port = toAddr (Hosts.IN6 (Sockets.zeros 16), port)
  structure Both = Protocols (val family = family)
  open Both
end

structure UnixSock :> UNIX_SOCK =
struct
  datatype unix = UNIX
  type 'sock_type sock = (unix, 'sock_type) Socket.sock
  type 'mode stream_sock = 'mode Socket.stream sock
  type dgram_sock = Socket.dgram sock
  type sock_addr = unix Socket.sock_addr
  val family = Ready.constant "AF_UNIX"
  val unixAF = Hosts.FAMILY family
  (* The maximum number of bytes of a path. *)
  val most = 107
  fun isZero c = c = #"\000"
  (* A name that begins with a zero byte names no file. Only its length determines its end. *)
  fun isAbstract path = path <> "" andalso isZero (String.sub (path, 0))
  fun toAddr path =
    if size path > most then Ready.fail (Core.System.errorNumber "nametoolong")
    else if path = "" orelse isAbstract path then Sockets.ADDRESS (Sockets.short family ^ path)
    else if CharVector.exists isZero path then Sockets.invalid ()
    else Sockets.ADDRESS (concat [Sockets.short family, path, "\000"])
  fun fromAddr (Sockets.ADDRESS text) =
    if Sockets.familyOf text <> family then Sockets.invalid ()
    else
      let val path = String.extract (text, 2, NONE)
      in
        if isAbstract path then path else hd (String.fields isZero path)
      end
  structure Strm =
  struct
    fun socket () = Sockets.open' (family, Sockets.streams, 0)
    fun socketPair () = Sockets.pair (family, Sockets.streams, 0)
  end
  structure DGrm =
  struct
    fun socket () = Sockets.open' (family, Sockets.datagrams, 0)
    fun socketPair () = Sockets.pair (family, Sockets.datagrams, 0)
  end
end
