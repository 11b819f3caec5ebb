(* SML/NJ's own library, without continuations and without images of the heap. *)
structure SMLofNJ :
sig
  structure SysInfo :
  sig
    exception UNKNOWN
    datatype os_kind = BEOS | MACOS | OS2 | UNIX | WIN32
    val getHostArch : unit -> string
    val getOSKind : unit -> os_kind
    val getOSName : unit -> string
  end
  val exnHistory : exn -> string list
  val getAllArgs : unit -> string list
  val getArgs : unit -> string list
  val getCmdName : unit -> string
end =
struct
  structure SysInfo =
  struct
    exception UNKNOWN
    datatype os_kind = BEOS | MACOS | OS2 | UNIX | WIN32
    fun getHostArch () = MLtonPlatform.Arch.toString MLtonPlatform.Arch.host
    fun getOSKind () = UNIX
    fun getOSName () = MLtonPlatform.OS.toString MLtonPlatform.OS.host
  end
  (* The report of an uncaught exception has the history. A program does not see the history of an exception that it handles. *)
  fun exnHistory (_ : exn) = nil : string list
  val getArgs = CommandLine.arguments
  val getCmdName = CommandLine.name
  fun getAllArgs () = getCmdName () :: getArgs ()
end
