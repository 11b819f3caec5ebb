(* The names of hosts, protocols and services. *)

signature NET_HOST_DB =
sig
  eqtype in_addr
  eqtype addr_family
  type entry
  val name : entry -> string
  val aliases : entry -> string list
  val addrType : entry -> addr_family
  val addr : entry -> in_addr
  val addrs : entry -> in_addr list
  val getByName : string -> entry option
  val getByAddr : in_addr -> entry option
  val getHostName : unit -> string
  val scan : (char, 'a) StringCvt.reader -> (in_addr, 'a) StringCvt.reader
  val fromString : string -> in_addr option
  val toString : in_addr -> string
end

signature NET_PROT_DB =
sig
  type entry
  val name : entry -> string
  val aliases : entry -> string list
  val protocol : entry -> int
  val getByName : string -> entry option
  val getByNumber : int -> entry option
end

signature NET_SERV_DB =
sig
  type entry
  val name : entry -> string
  val aliases : entry -> string list
  val port : entry -> int
  val protocol : entry -> string
  val getByName : string * string option -> entry option
  val getByPort : int * string option -> entry option
end

(* The types. Messages print these names. *)
structure NetHostDB =
struct
  datatype addr_family = FAMILY of int
  (* The bytes of an address, the highest byte first. *)
  datatype in_addr = IN of string
end
structure Net6HostDB =
struct
  datatype in_addr = IN6 of string
end

(* The parts that the databases of the system and the structures of sockets share. *)
structure Hosts =
struct
  val host = _prim "rt.Net.host" : string * int -> string
  val hostOf = _prim "rt.Net.hostOf" : string -> string
  val hostName = _prim "rt.Net.hostName" : unit -> string
  val protocol = _prim "rt.Net.protocol" : string -> string
  val protocolOf = _prim "rt.Net.protocolOf" : int -> string
  val service = _prim "rt.Net.service" : string * string -> string
  val serviceOf = _prim "rt.Net.serviceOf" : int * string -> string
  (* `parse6` returns the bytes of an address of version 6, or an empty string if the text is no such address. `text6` converts back. *)
  val parse6 = _prim "rt.Net.parse6" : string -> string
  val text6 = _prim "rt.Net.text6" : string -> string

  datatype family = datatype NetHostDB.addr_family
  datatype in_addr = datatype NetHostDB.in_addr
  datatype in6_addr = datatype Net6HostDB.in_addr

  fun checkedText text =
    case Core.Io.lastError () of
      0 => text
    | number => Ready.fail number

  (* Returns the fields of an entry, or NONE if the entry does not exist. *)
  fun fields text =
    case String.fields (fn c => c = #"\000") (checkedText text) of
      [_] => NONE
    | fields => SOME (List.take (fields, List.length fields - 1))

  fun hex text = String.implode (List.tabulate (size text div 2, fn i =>
    Char.chr (valOf (StringCvt.scanString (Int.scan StringCvt.HEX) (String.substring (text, 2 * i, 2))))))

  (* Reads a number in the notation of C (0x17, 027, 23), without a sign. *)
  fun scanNumber getc src =
    let
      fun digit (base, src) =
        case getc src of
          NONE => NONE
        | SOME (c, rest) =>
            if not (Char.isHexDigit c) then NONE
            else
              let
                val d = if Char.isDigit c then Char.ord c - 48 else Char.ord (Char.toLower c) - 87
              in
                if d < base then SOME (d, rest) else NONE
              end
      fun digits (base, n, src) =
        case digit (base, src) of
          NONE => SOME (n, src)
        | SOME (d, rest) => digits (base, Int.min (base * n + d, 0x100000000), rest)
      fun afterZero src =
        case getc src of
          SOME (c, rest) =>
            if c = #"x" orelse c = #"X" then
              (case digit (16, rest) of
                 NONE => SOME (0, src)
               | SOME (d, rest) => digits (16, d, rest))
            else digits (8, 0, src)
        | NONE => SOME (0, src)
    in
      case digit (10, src) of
        NONE => NONE
      | SOME (0, rest) => afterZero rest
      | SOME (d, rest) => digits (10, d, rest)
    end

  (* Reads up to four numbers with points between them. The last number is the value of all remaining bytes. *)
  fun scan4 getc src =
    let
      fun numbers (count, src) =
        case scanNumber getc src of
          NONE => NONE
        | SOME (n, rest) =>
            if count = 4 then SOME ([n], rest)
            else
              case getc rest of
                SOME (#".", more) =>
                  (case numbers (count + 1, more) of
                     NONE => SOME ([n], rest)
                   | SOME (ns, rest) => SOME (n :: ns, rest))
              | _ => SOME ([n], rest)
      (* Returns the last `count` bytes. *)
      fun bytes (n, count) =
        String.implode (List.tabulate (count, fn i =>
          Char.chr (Word.toInt (Word.andb (Word.>> (Word.fromInt n, Word.fromInt (8 * (count - 1 - i))), 0w255)))))
      fun join ([n], room) =
            if n < Word.toInt (Word.<< (0w1, Word.fromInt (8 * room))) then SOME (bytes (n, room)) else NONE
        | join (n :: ns, room) =
            if n < 256 then Option.map (fn rest => bytes (n, 1) ^ rest) (join (ns, room - 1)) else NONE
        | join (nil, _) = NONE
    in
      case numbers (1, src) of
        NONE => NONE
      | SOME (ns, rest) => Option.map (fn bytes => (IN bytes, rest)) (join (ns, 4))
    end
  fun toString4 (IN bytes) = String.concatWith "." (List.map (Int.toString o Char.ord) (String.explode bytes))

  (* Reads the longest prefix that is an address. *)
  fun scan6 getc src =
    let
      fun isPart c = Char.isHexDigit c orelse c = #":" orelse c = #"."
      fun go (text, src, best) =
        let
          val best =
            case parse6 text of
              "" => best
            | bytes => SOME (IN6 bytes, src)
        in
          case getc src of
            SOME (c, rest) => if isPart c andalso size text < 45 then go (text ^ str c, rest, best) else best
          | NONE => best
        end
    in
      go ("", src, NONE)
    end
  fun toString6 (IN6 bytes) = text6 bytes

  (* The entry of a host in one family. *)
  type 'a entry = {name : string, aliases : string list, addrs : 'a list}
  fun entry (make, length) text =
    case fields text of
      SOME (addresses :: name :: aliases) =>
        let val all = hex addresses
        in
          SOME
            { name = name, aliases = aliases
            , addrs = List.tabulate (size all div length, fn i => make (String.substring (all, length * i, length))) }
        end
    | _ => NONE
  fun one ({name, addrs, ...} : 'a entry) =
    case addrs of
      addr :: _ => addr
    | nil => raise OS.SysErr (name ^ " has no address", NONE)
end

structure NetHostDB :> NET_HOST_DB where type in_addr = Hosts.in_addr where type addr_family = Hosts.family =
struct
  type in_addr = Hosts.in_addr
  type addr_family = Hosts.family
  type entry = in_addr Hosts.entry
  val family = Ready.constant "AF_INET"
  val name : entry -> string = #name
  val aliases : entry -> string list = #aliases
  fun addrType (_ : entry) = Hosts.FAMILY family
  val addr : entry -> in_addr = Hosts.one
  val addrs : entry -> in_addr list = #addrs
  val entry = Hosts.entry (Hosts.IN, 4)
  fun getByName name = entry (Hosts.host (name, family))
  fun getByAddr (Hosts.IN bytes) = entry (Hosts.hostOf bytes)
  fun getHostName () = Hosts.checkedText (Hosts.hostName ())
  val scan = Hosts.scan4
  val toString = Hosts.toString4
  fun fromString s = StringCvt.scanString scan s
end

(* As NetHostDB for version 6 of the protocol, as in Poly/ML. *)
structure Net6HostDB :> NET_HOST_DB where type in_addr = Hosts.in6_addr where type addr_family = Hosts.family =
struct
  type in_addr = Hosts.in6_addr
  type addr_family = Hosts.family
  type entry = in_addr Hosts.entry
  val family = Ready.constant "AF_INET6"
  val name : entry -> string = #name
  val aliases : entry -> string list = #aliases
  fun addrType (_ : entry) = Hosts.FAMILY family
  val addr : entry -> in_addr = Hosts.one
  val addrs : entry -> in_addr list = #addrs
  val entry = Hosts.entry (Hosts.IN6, 16)
  fun getByName name = entry (Hosts.host (name, family))
  fun getByAddr (Hosts.IN6 bytes) = entry (Hosts.hostOf bytes)
  val getHostName = NetHostDB.getHostName
  val scan = Hosts.scan6
  val toString = Hosts.toString6
  fun fromString s = StringCvt.scanString scan s
end

structure NetProtDB :> NET_PROT_DB =
struct
  type entry = {protocol : int, name : string, aliases : string list}
  val name : entry -> string = #name
  val aliases : entry -> string list = #aliases
  val protocol : entry -> int = #protocol
  fun entry text =
    case Hosts.fields text of
      SOME (number :: name :: aliases) =>
        SOME {protocol = valOf (Int.fromString number), name = name, aliases = aliases}
    | _ => NONE
  fun getByName name = entry (Hosts.protocol name)
  fun getByNumber number = entry (Hosts.protocolOf number)
end

structure NetServDB :> NET_SERV_DB =
struct
  type entry = {port : int, protocol : string, name : string, aliases : string list}
  val name : entry -> string = #name
  val aliases : entry -> string list = #aliases
  val port : entry -> int = #port
  val protocol : entry -> string = #protocol
  fun entry text =
    case Hosts.fields text of
      SOME (port :: protocol :: name :: aliases) =>
        SOME {port = valOf (Int.fromString port), protocol = protocol, name = name, aliases = aliases}
    | _ => NONE
  fun getByName (name, protocol) = entry (Hosts.service (name, getOpt (protocol, "")))
  fun getByPort (port, protocol) = entry (Hosts.serviceOf (port, getOpt (protocol, "")))
end
