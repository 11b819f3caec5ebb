(* CommandLine and OS. *)

signature COMMAND_LINE =
sig
  val name : unit -> string
  val arguments : unit -> string list
end

structure CommandLine : COMMAND_LINE =
struct
  val name = Core.System.programName
  fun arguments () = List.tabulate (Core.System.argumentCount (), Core.System.argument)
end

signature OS_FILE_SYS =
sig
  type dirstream
  val openDir : string -> dirstream
  val readDir : dirstream -> string option
  val rewindDir : dirstream -> unit
  val closeDir : dirstream -> unit
  val chDir : string -> unit
  val getDir : unit -> string
  val mkDir : string -> unit
  val rmDir : string -> unit
  val isDir : string -> bool
  val isLink : string -> bool
  val readLink : string -> string
  val fullPath : string -> string
  val realPath : string -> string
  val modTime : string -> Time.time
  val fileSize : string -> int
  val setTime : string * Time.time option -> unit
  val remove : string -> unit
  val rename : {old : string, new : string} -> unit
  datatype access_mode = A_READ | A_WRITE | A_EXEC
  val access : string * access_mode list -> bool
  val tmpName : unit -> string
  eqtype file_id
  val fileId : string -> file_id
  val hash : file_id -> word
  val compare : file_id * file_id -> order
end

signature OS_PATH =
sig
  exception Path
  exception InvalidArc
  val parentArc : string
  val currentArc : string
  val fromString : string -> {isAbs : bool, vol : string, arcs : string list}
  val toString : {isAbs : bool, vol : string, arcs : string list} -> string
  val validVolume : {isAbs : bool, vol : string} -> bool
  val getVolume : string -> string
  val getParent : string -> string
  val splitDirFile : string -> {dir : string, file : string}
  val joinDirFile : {dir : string, file : string} -> string
  val dir : string -> string
  val file : string -> string
  val splitBaseExt : string -> {base : string, ext : string option}
  val joinBaseExt : {base : string, ext : string option} -> string
  val base : string -> string
  val ext : string -> string option
  val mkCanonical : string -> string
  val isCanonical : string -> bool
  val mkAbsolute : {path : string, relativeTo : string} -> string
  val mkRelative : {path : string, relativeTo : string} -> string
  val isAbsolute : string -> bool
  val isRelative : string -> bool
  val isRoot : string -> bool
  val concat : string * string -> string
  val fromUnixPath : string -> string
  val toUnixPath : string -> string
end

signature OS_PROCESS =
sig
  type status
  val success : status
  val failure : status
  val isSuccess : status -> bool
  val system : string -> status
  val atExit : (unit -> unit) -> unit
  val exit : status -> 'a
  val terminate : status -> 'a
  val getEnv : string -> string option
  val sleep : Time.time -> unit
end

signature OS_IO =
sig
  eqtype iodesc
  val hash : iodesc -> word
  val compare : iodesc * iodesc -> order
  eqtype iodesc_kind
  val kind : iodesc -> iodesc_kind
  structure Kind :
  sig
    val file : iodesc_kind
    val dir : iodesc_kind
    val symlink : iodesc_kind
    val tty : iodesc_kind
    val pipe : iodesc_kind
    val socket : iodesc_kind
    val device : iodesc_kind
  end
  eqtype poll_desc
  type poll_info
  val pollDesc : iodesc -> poll_desc option
  val pollToIODesc : poll_desc -> iodesc
  exception Poll
  val pollIn : poll_desc -> poll_desc
  val pollOut : poll_desc -> poll_desc
  val pollPri : poll_desc -> poll_desc
  val poll : poll_desc list * Time.time option -> poll_info list
  val isIn : poll_info -> bool
  val isOut : poll_info -> bool
  val isPri : poll_info -> bool
  val infoToPollDesc : poll_info -> poll_desc
end

signature OS =
sig
  structure FileSys : OS_FILE_SYS
  structure Path : OS_PATH
  structure Process : OS_PROCESS
  structure IO : OS_IO where type iodesc = Descriptor.iodesc
  eqtype syserror
  exception SysErr of string * syserror option
  val errorMsg : syserror -> string
  val errorName : syserror -> string
  val syserror : string -> syserror option
end

structure OS : OS =
struct
  type syserror = int
  exception SysErr = Core.SysErr
  val errorMsg = Core.System.errorMessage
  val errorName = Core.System.errorName
  fun syserror name =
    case Core.System.errorNumber name of
      0 => NONE
    | number => SOME number

  fun fail number = raise SysErr (errorMsg number, SOME number)
  (* Checks a result of the runtime: a negative result is the negated number of an error. *)
  fun checked result = if result < 0 then fail (~ result) else result
  fun checkedText text =
    case Core.Io.lastError () of
      0 => text
    | number => fail number

  structure Path : OS_PATH =
  struct
    exception Path
    exception InvalidArc
    val parentArc = ".."
    val currentArc = "."

    fun isAbsolute path = size path > 0 andalso Core.String.sub (path, 0) = #"/"
    fun isRelative path = not (isAbsolute path)

    fun fromString "" = {isAbs = false, vol = "", arcs = nil}
      | fromString path =
          case String.fields (fn c => c = #"/") path of
            "" :: arcs => {isAbs = true, vol = "", arcs = arcs}
          | arcs => {isAbs = false, vol = "", arcs = arcs}

    fun validVolume {isAbs = _, vol} = vol = ""

    fun toString {isAbs, vol, arcs} =
      if vol <> "" then raise Path
      else
        case (isAbs, arcs) of
          (false, "" :: _) => raise Path
        | _ =>
            if List.exists (CharVector.exists (fn c => c = #"/")) arcs then raise InvalidArc
            else (if isAbs then "/" else "") ^ String.concatWith "/" arcs

    fun getVolume _ = ""

    (* Returns the position at which the last arc begins. *)
    fun lastArc path =
      let fun go i = if i > 0 andalso Core.String.sub (path, i - 1) <> #"/" then go (i - 1) else i
      in go (size path)
      end

    fun splitDirFile path =
      let
        val at = lastArc path
        val dir = if at <= 1 then substring (path, 0, at) else substring (path, 0, at - 1)
      in
        {dir = dir, file = String.extract (path, at, NONE)}
      end
    fun joinDirFile {dir, file} =
      if CharVector.exists (fn c => c = #"/") file then raise InvalidArc
      else if dir = "" then file
      else if dir = "/" then "/" ^ file
      else if String.isSuffix "/" dir then dir ^ file
      else concat [dir, "/", file]
    fun dir path = #dir (splitDirFile path)
    fun file path = #file (splitDirFile path)

    fun splitBaseExt path =
      let
        val first = lastArc path
        val n = size path
        fun go i =
          if i <= first then NONE else if Core.String.sub (path, i) = #"." then SOME i else go (i - 1)
      in
        case go (n - 1) of
          NONE => {base = path, ext = NONE}
        | SOME i =>
            if i = n - 1 then {base = path, ext = NONE}
            else {base = substring (path, 0, i), ext = SOME (String.extract (path, i + 1, NONE))}
      end
    fun joinBaseExt {base, ext = NONE} = base
      | joinBaseExt {base, ext = SOME ""} = base
      | joinBaseExt {base, ext = SOME ext} = concat [base, ".", ext]
    fun base path = #base (splitBaseExt path)
    fun ext path = #ext (splitBaseExt path)

    fun getParent path =
      if path = "" then parentArc
      else if path = "/" then "/"
      else
        let val {dir, file} = splitDirFile path
        in
          if file = "" then path ^ parentArc
          else if file = currentArc then joinDirFile {dir = dir, file = parentArc}
          else if file = parentArc then concat [path, "/", parentArc]
          else if dir = "" then currentArc
          else dir
        end

    fun mkCanonical path =
      let
        val {isAbs, arcs, ...} = fromString path
        (* `kept` has the arcs so far, the last arc first. *)
        fun go (nil, kept) = List.rev kept
          | go ("" :: rest, kept) = go (rest, kept)
          | go ("." :: rest, kept) = go (rest, kept)
          | go (".." :: rest, nil) = if isAbs then go (rest, nil) else go (rest, [".."])
          | go (".." :: rest, ".." :: kept) = go (rest, ".." :: ".." :: kept)
          | go (".." :: rest, _ :: kept) = go (rest, kept)
          | go (arc :: rest, kept) = go (rest, arc :: kept)
      in
        case go (arcs, nil) of
          nil => if isAbs then "/" else currentArc
        | arcs => toString {isAbs = isAbs, vol = "", arcs = arcs}
      end
    fun isCanonical path = path = mkCanonical path

    fun isRoot path = path = "/"

    fun concat (a, b) =
      if isAbsolute b then raise Path
      else if a = "" then b
      else if b = "" then a
      else if String.isSuffix "/" a then a ^ b
      else String.concat [a, "/", b]

    fun mkAbsolute {path, relativeTo} =
      if isRelative relativeTo then raise Path
      else if isAbsolute path then path
      else mkCanonical (concat (relativeTo, path))

    fun mkRelative {path, relativeTo} =
      if isRelative relativeTo then raise Path
      else if isRelative path then path
      else
        let
          val from = #arcs (fromString (mkCanonical relativeTo))
          val to = #arcs (fromString path)
          fun real [""] = nil
            | real arcs = arcs
          fun go (a :: from, b :: to) =
                if a = b then go (from, to) else (a :: from, b :: to)
            | go both = both
          val (up, down) = go (real from, real to)
        in
          case List.map (fn _ => parentArc) up @ down of
            nil => currentArc
          | [""] => currentArc
          | arcs => String.concatWith "/" arcs
        end

    fun fromUnixPath path = path
    fun toUnixPath path = path
  end

  structure FileSys : OS_FILE_SYS =
  struct
    (* The names that the directory had when the program opened it, and the names that are left; NONE if the stream is closed. *)
    datatype dirstream = Dir of string list * string list option ref

    fun openDir name =
      let val names = String.tokens (fn c => c = #"\000") (checkedText (Core.FileSys.entries name))
      in Dir (names, ref (SOME names))
      end
    fun readDir (Dir (_, rest)) =
      case ! rest of
        NONE => raise SysErr ("the directory is closed", NONE)
      | SOME nil => NONE
      | SOME (name :: more) => (rest := SOME more; SOME name)
    fun rewindDir (Dir (names, rest)) =
      case ! rest of
        NONE => raise SysErr ("the directory is closed", NONE)
      | SOME _ => rest := SOME names
    fun closeDir (Dir (_, rest)) = rest := NONE

    fun chDir path = ignore (checked (Core.FileSys.chDir path))
    fun getDir () = checkedText (Core.FileSys.getDir ())
    fun mkDir path = ignore (checked (Core.FileSys.mkDir path))
    fun rmDir path = ignore (checked (Core.FileSys.rmDir path))
    fun isDir path = checked (Core.FileSys.isDir path) = 1
    fun isLink path = checked (Core.FileSys.isLink path) = 1
    fun readLink path = checkedText (Core.FileSys.readLink path)
    fun realPathOf path = checkedText (Core.FileSys.realPath (if path = "" then "." else path))
    val fullPath = realPathOf
    fun realPath path =
      if Path.isAbsolute path then realPathOf path
      else Path.mkRelative {path = realPathOf path, relativeTo = realPathOf (getDir ())}
    (* A time before 1970 is negative, but is not an error. *)
    fun modTime path = Time.fromSeconds (IntInf.fromInt (checked (Core.FileSys.modTime path) - 0x4000000000000000))
    fun fileSize path = checked (Core.FileSys.fileSize path)
    fun setTime (path, time) =
      let val time = getOpt (time, Time.now ())
      in ignore (checked (Core.FileSys.setTime (path, IntInf.toInt (Time.toSeconds time))))
      end
    fun remove path = ignore (checked (Core.FileSys.remove path))
    fun rename {old, new} = ignore (checked (Core.FileSys.rename (old, new)))
    datatype access_mode = A_READ | A_WRITE | A_EXEC
    fun access (path, modes) =
      let
        fun bits (mode, n) =
          n + (case mode of A_READ => 4 | A_WRITE => 2 | A_EXEC => 1)
        fun distinct mode = List.exists (fn m => m = mode) modes
        val modes = List.filter distinct [A_READ, A_WRITE, A_EXEC]
      in
        Core.FileSys.access (path, List.foldl bits 0 modes) = 1
      end
    fun tmpName () = checkedText (Core.FileSys.tmpName ())

    (* The number of a device, and the number of a file on this device. *)
    datatype file_id = Id of int * int
    fun fileId path =
      let val device = checked (Core.FileSys.device path)
      in Id (device, checked (Core.FileSys.inode path))
      end
    fun hash (Id (device, inode)) = Word.+ (Word.* (Word.fromInt device, 0w31), Word.fromInt inode)
    fun compare (Id (device, inode), Id (device', inode')) =
      case Int.compare (device, device') of
        EQUAL => Int.compare (inode, inode')
      | other => other
  end

  structure Process : OS_PROCESS =
  struct
    type status = int
    val success = 0
    val failure = 1
    fun isSuccess status = status = 0
    val system = Core.System.command
    val atExit = AtExit.add
    fun terminate status = (Core.System.exit status; raise Fail "the process goes on")
    fun exit status = (AtExit.run (); terminate status)
    fun getEnv name =
      case Core.System.environment name of
        "" => NONE
      | value => SOME (String.extract (value, 1, NONE))
    fun sleep time = Core.System.sleep (Int.max (0, IntInf.toInt (Time.toNanoseconds time)))
  end

  structure IO :> OS_IO where type iodesc = Descriptor.iodesc =
  struct
    datatype iodesc = datatype Descriptor.iodesc
    fun hash (Number file) = Word.fromInt file
    fun compare (Number a, Number b) = Int.compare (a, b)

    datatype iodesc_kind = FILE | DIR | SYMLINK | TTY | PIPE | SOCKET | DEVICE
    structure Kind =
    struct
      val file = FILE
      val dir = DIR
      val symlink = SYMLINK
      val tty = TTY
      val pipe = PIPE
      val socket = SOCKET
      val device = DEVICE
    end
    val facts = _prim "rt.Posix.fstat" : int -> string
    val isTerminal = _prim "rt.Posix.isTerminal" : int -> int
    fun kind (Number file) =
      let
        val facts = checkedText (facts file)
        (* The lowest two bytes of the first fact are the mode. *)
        fun byte i = Char.ord (String.sub (facts, i))
        val mode = Word.andb (Word.fromInt (byte 0 + 256 * byte 1), Word.fromInt (Ready.constant "S_IFMT"))
        fun is name = mode = Word.fromInt (Ready.constant name)
      in
        if is "S_IFREG" then FILE
        else if is "S_IFDIR" then DIR
        else if is "S_IFLNK" then SYMLINK
        else if is "S_IFIFO" then PIPE
        else if is "S_IFSOCK" then SOCKET
        else if isTerminal file = 1 then TTY
        else DEVICE
      end

    (* The flags say whether the descriptor polls for input, output and urgent input. *)
    datatype poll_desc = Poll' of {file : int, input : bool, output : bool, urgent : bool}
    datatype poll_info = Info of poll_desc
    exception Poll
    fun pollDesc (Number file) = SOME (Poll' {file = file, input = false, output = false, urgent = false})
    fun pollToIODesc (Poll' {file, ...}) = Number file
    fun pollIn (Poll' {file, output, urgent, ...}) =
      Poll' {file = file, input = true, output = output, urgent = urgent}
    fun pollOut (Poll' {file, input, urgent, ...}) =
      Poll' {file = file, input = input, output = true, urgent = urgent}
    fun pollPri (Poll' {file, input, output, ...}) =
      Poll' {file = file, input = input, output = output, urgent = true}
    fun asked {file, input, output, urgent} =
      (if input then Ready.input else 0) + (if output then Ready.output else 0) + (if urgent then Ready.urgent else 0)
    fun ready (Poll' {file, input, output, urgent}) =
      let
        val events = checked (Ready.events (file, asked {file = file, input = input, output = true, urgent = urgent}))
        fun has event = Ready.has (events, event)
        val () = if has Ready.closed then fail (Core.System.errorNumber "badf") else ()
        (* At the end of a pipe's input, the system reports only that the pipe was hung up. *)
        val input =
          input
          andalso (has Ready.input orelse has Ready.fault orelse has Ready.hangUp andalso not (has Ready.output))
        val output = output andalso (has Ready.fault orelse has Ready.output)
        val urgent = urgent andalso has Ready.urgent
      in
        if input orelse output orelse urgent then
          SOME (Info (Poll' {file = file, input = input, output = output, urgent = urgent}))
        else NONE
      end
    fun poll (descs, timeout) =
      let
        fun find () = case List.mapPartial ready descs of nil => NONE | found => SOME found
        fun watched (Poll' (desc as {file, ...})) = (file, asked desc, fn () => true)
      in
        Ready.look (find, nil, List.map watched descs, Option.map Ready.span timeout)
      end
    fun isIn (Info (Poll' {input, ...})) = input
    fun isOut (Info (Poll' {output, ...})) = output
    fun isPri (Info (Poll' {urgent, ...})) = urgent
    fun infoToPollDesc (Info desc) = desc
  end
end
