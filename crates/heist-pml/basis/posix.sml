(* Posix: files by descriptors, processes, and information about the system. *)

functor PosixFlags (val every : Core.word) =
struct
  type flags = Core.word
  fun toWord (w : flags) = w
  fun fromWord (w : flags) = w
  val all = every
  fun flags list = List.foldl Word.orb 0w0 list
  fun intersect list = List.foldl Word.andb every list
  fun clear (a, b) = Word.andb (Word.notb a, b)
  fun allSet (a, b) = Word.andb (a, b) = a
  fun anySet (a, b) = Word.andb (a, b) <> 0w0
end

local
  structure P =
  struct
    val constant = _prim "rt.Posix.constant" : string -> int
    val openFile = _prim "rt.Posix.open" : string * int * int -> int
    val close = _prim "rt.Posix.close" : int -> int
    val read = _prim "rt.Posix.read" : int * int -> string
    val write = _prim "rt.Posix.write" : int * string * int * int -> int
    val seek = _prim "rt.Posix.seek" : int * int * int -> int
    val truncate = _prim "rt.Posix.truncate" : int * int -> int
    val sync = _prim "rt.Posix.sync" : int -> int
    val pipe = _prim "rt.Posix.pipe" : unit -> int
    val dup = _prim "rt.Posix.dup" : int * int -> int
    val dup2 = _prim "rt.Posix.dup2" : int * int -> int
    val control = _prim "rt.Posix.control" : int * int * int -> int
    val stat = _prim "rt.Posix.stat" : string * int -> string
    val fstat = _prim "rt.Posix.fstat" : int -> string
    val chmod = _prim "rt.Posix.chmod" : string * int -> int
    val fchmod = _prim "rt.Posix.fchmod" : int * int -> int
    val chown = _prim "rt.Posix.chown" : string * int * int -> int
    val fchown = _prim "rt.Posix.fchown" : int * int * int -> int
    val utime = _prim "rt.Posix.utime" : string * int * int -> int
    val mkdir = _prim "rt.Posix.mkdir" : string * int -> int
    val mkfifo = _prim "rt.Posix.mkfifo" : string * int -> int
    val link = _prim "rt.Posix.link" : string * string -> int
    val symlink = _prim "rt.Posix.symlink" : string * string -> int
    val umask = _prim "rt.Posix.umask" : int -> int
    val pathconf = _prim "rt.Posix.pathconf" : string * int -> int
    val fpathconf = _prim "rt.Posix.fpathconf" : int * int -> int
    val sysconf = _prim "rt.Posix.sysconf" : int -> int
    val isTerminal = _prim "rt.Posix.isTerminal" : int -> int
    val about = _prim "rt.Posix.about" : int * int -> string
    val identity = _prim "rt.Posix.identity" : int -> int
    val kill = _prim "rt.Posix.kill" : int * int -> int
    val setSession = _prim "rt.Posix.setSession" : unit -> int
    val setGroup = _prim "rt.Posix.setGroup" : int * int -> int
    val setUser = _prim "rt.Posix.setUser" : int -> int
    val setUserGroup = _prim "rt.Posix.setUserGroup" : int -> int
    (* The arguments are the program; the arguments and the environment, with a zero byte after each string; whether an environment is
       given; and whether to search for the program. *)
    val exec = _prim "rt.Posix.exec" : string * string * string * int * int -> int
    (* The arguments are the child and the options. Returns 2^32 times the number of the child plus its status. *)
    val wait = _prim "rt.Posix.wait" : int * int -> int
  end

  fun fail number = raise OS.SysErr (OS.errorMsg number, SOME number)
  fun checked result = if result < 0 then fail (~ result) else result
  fun done result = ignore (checked result)
  fun checkedText text =
    case Core.Io.lastError () of
      0 => text
    | number => fail number
  (* Returns the constants that the text names, combined. The text has a `|` between two names. *)
  fun flag name = Word.fromInt (P.constant name)
  (* Returns number `i` of a string of numbers. Each number has 8 bytes. *)
  fun unpack text i =
    let
      fun go (0, w) = w
        | go (k, w) =
            go (k - 1, Word.orb (Word.<< (w, 0w8), Word.fromInt (Char.ord (String.sub (text, 8 * i + k - 1)))))
    in
      Word.toIntX (go (8, 0w0))
    end
  fun numbers text = List.tabulate (size text div 8, unpack text)
  fun parts text = String.tokens (fn c => c = #"\000") text
  fun seconds n = Time.fromSeconds (IntInf.fromInt n)
  fun wholeSeconds time = IntInf.toInt (Time.toSeconds time)
in

structure Posix :> POSIX where type Error.syserror = OS.syserror =
struct
  structure Error =
  struct
    type syserror = OS.syserror
    val toWord = Word.fromInt
    val fromWord = Word.toIntX
    val errorMsg = OS.errorMsg
    val errorName = OS.errorName
    val syserror = OS.syserror
    val number = Core.System.errorNumber
    val acces = number "acces"
    val again = number "again"
    val badf = number "badf"
    val badmsg = number "badmsg"
    val busy = number "busy"
    val canceled = number "canceled"
    val child = number "child"
    val deadlk = number "deadlk"
    val dom = number "dom"
    val exist = number "exist"
    val fault = number "fault"
    val fbig = number "fbig"
    val inprogress = number "inprogress"
    val intr = number "intr"
    val inval = number "inval"
    val io = number "io"
    val isdir = number "isdir"
    val loop = number "loop"
    val mfile = number "mfile"
    val mlink = number "mlink"
    val msgsize = number "msgsize"
    val nametoolong = number "nametoolong"
    val nfile = number "nfile"
    val nodev = number "nodev"
    val noent = number "noent"
    val noexec = number "noexec"
    val nolck = number "nolck"
    val nomem = number "nomem"
    val nospc = number "nospc"
    val nosys = number "nosys"
    val notdir = number "notdir"
    val notempty = number "notempty"
    val notsup = number "notsup"
    val notty = number "notty"
    val nxio = number "nxio"
    val perm = number "perm"
    val pipe = number "pipe"
    val range = number "range"
    val rofs = number "rofs"
    val spipe = number "spipe"
    val srch = number "srch"
    val toobig = number "toobig"
    val xdev = number "xdev"
  end

  structure Signal =
  struct
    type signal = int
    val toWord = Word.fromInt
    val fromWord = Word.toIntX
    val abrt = P.constant "SIGABRT"
    val alrm = P.constant "SIGALRM"
    val bus = P.constant "SIGBUS"
    val fpe = P.constant "SIGFPE"
    val hup = P.constant "SIGHUP"
    val ill = P.constant "SIGILL"
    val int = P.constant "SIGINT"
    val kill = P.constant "SIGKILL"
    val pipe = P.constant "SIGPIPE"
    val quit = P.constant "SIGQUIT"
    val segv = P.constant "SIGSEGV"
    val term = P.constant "SIGTERM"
    val usr1 = P.constant "SIGUSR1"
    val usr2 = P.constant "SIGUSR2"
    val chld = P.constant "SIGCHLD"
    val cont = P.constant "SIGCONT"
    val stop = P.constant "SIGSTOP"
    val tstp = P.constant "SIGTSTP"
    val ttin = P.constant "SIGTTIN"
    val ttou = P.constant "SIGTTOU"
  end

  structure Process =
  struct
    type signal = int
    type pid = int
    val wordToPid = Word.toIntX
    val pidToWord = Word.fromInt
    fun packed list =
      if List.exists (CharVector.exists (fn c => c = #"\000")) list then fail Error.inval
      else concat (List.map (fn s => s ^ "\000") list)
    fun become result = (done result; raise Fail "the process goes on")
    fun exec (file, arguments) = become (P.exec (file, packed arguments, "", 0, 0))
    fun exece (file, arguments, environment) = become (P.exec (file, packed arguments, packed environment, 1, 0))
    fun execp (file, arguments) = become (P.exec (file, packed arguments, "", 0, 1))
    fun exit status = (Core.System.leave (Word8.toInt status); raise Fail "the process goes on")
    structure W =
    struct
      structure Flags = PosixFlags (val every = Word.fromInt (P.constant "WUNTRACED"))
      open Flags
      val untraced = all
    end
    datatype exit_status = W_EXITED | W_EXITSTATUS of Word8.word | W_SIGNALED of signal | W_STOPPED of signal
    (* The runtime's number of a status: an exit code, 0x100 plus the signal that ended the process, or 0x200 plus the signal that
       stopped it. *)
    fun fromStatus 0 = W_EXITED
      | fromStatus status =
          if status < 0x100 then W_EXITSTATUS (Word8.fromInt status)
          else if status < 0x200 then W_SIGNALED (status - 0x100)
          else W_STOPPED (status - 0x200)
    datatype waitpid_arg = W_ANY_CHILD | W_CHILD of pid | W_SAME_GROUP | W_GROUP of pid
    fun waited (which, options) =
      let
        val which =
          case which of
            W_ANY_CHILD => ~1
          | W_CHILD pid => if pid < 1 then fail Error.child else pid
          | W_SAME_GROUP => 0
          | W_GROUP pid => if pid <= 1 then fail Error.child else ~ pid
        val both = checked (P.wait (which, options))
      in
        (both div 0x100000000, fromStatus (both mod 0x100000000))
      end
    fun options flags = Word.toIntX (W.flags flags)
    fun waitpid (which, flags) = waited (which, options flags)
    fun waitpid_nh (which, flags) =
      case waited (which, options flags + P.constant "WNOHANG") of
        (0, _) => NONE
      | ended => SOME ended
    fun wait () = waitpid (W_ANY_CHILD, nil)
    datatype killpid_arg = K_PROC of pid | K_SAME_GROUP | K_GROUP of pid
    fun kill (which, signal) =
      (* No process and no group has these numbers. The system's call takes 0 and negative numbers for groups, and ~1 for all processes. *)
      done (P.kill (case which of
          K_PROC pid => if pid < 1 then fail Error.srch else pid
        | K_SAME_GROUP => 0
        | K_GROUP pid => if pid <= 1 then fail Error.srch else ~ pid, signal))
    fun sleep time = (OS.Process.sleep time; Time.zeroTime)
  end

  structure ProcEnv =
  struct
    type pid = int
    type uid = int
    type gid = int
    type file_desc = int
    val uidToWord = Word.fromInt
    val wordToUid = Word.toIntX
    val gidToWord = Word.fromInt
    val wordToGid = Word.toIntX
    fun getpid () = P.identity 0
    fun getppid () = P.identity 1
    fun getpgrp () = P.identity 2
    fun getuid () = P.identity 3
    fun geteuid () = P.identity 4
    fun getgid () = P.identity 5
    fun getegid () = P.identity 6
    fun setuid uid = done (P.setUser uid)
    fun setgid gid = done (P.setUserGroup gid)
    fun getgroups () = numbers (checkedText (P.about (2, 0)))
    fun getlogin () = checkedText (P.about (4, 0))
    fun setsid () = checked (P.setSession ())
    fun setpgid {pid, pgid} = done (P.setGroup (getOpt (pid, 0), getOpt (pgid, 0)))
    fun uname () =
      ListPair.zip
        ( ["sysname", "nodename", "release", "version", "machine"]
        , String.fields (fn c => c = #"\000") (checkedText (P.about (0, 0))) )
    fun time () = seconds (wholeSeconds (Time.now ()))
    fun times () =
      let fun ns n = Time.fromNanoseconds (IntInf.fromInt n)
      in
        case List.map ns (numbers (checkedText (P.about (3, 0)))) of
          [elapsed, utime, stime, cutime, cstime] =>
            {elapsed = elapsed, utime = utime, stime = stime, cutime = cutime, cstime = cstime}
        | _ => fail Error.nosys
      end
    val getenv = OS.Process.getEnv
    fun environ () = parts (checkedText (P.about (1, 0)))
    fun ctermid () = "/dev/tty"
    fun ttyname file = checkedText (P.about (5, file))
    fun isatty file = P.isTerminal file = 1
    fun sysconf name =
      case P.constant ("_SC_" ^ name) of
        ~1 => fail Error.inval
      | what => Word.fromInt (case P.sysconf what of ~1 => ~1 | result => checked result)
  end

  datatype open_mode' = O_RDONLY | O_WRONLY | O_RDWR

  structure FileSys =
  struct
    type uid = int
    type gid = int
    type file_desc = int
    val fdToWord = Word.fromInt
    val wordToFD = Word.toIntX
    val fdToIOD = Descriptor.Number
    fun iodToFD (Descriptor.Number file) = SOME file
    type dirstream = OS.FileSys.dirstream
    val opendir = OS.FileSys.openDir
    val readdir = OS.FileSys.readDir
    val rewinddir = OS.FileSys.rewindDir
    val closedir = OS.FileSys.closeDir
    val chdir = OS.FileSys.chDir
    val getcwd = OS.FileSys.getDir
    val stdin = 0
    val stdout = 1
    val stderr = 2
    structure S =
    struct
      structure Flags =
        PosixFlags (val every = flag "S_IRWXU|S_IRWXG|S_IRWXO|S_ISUID|S_ISGID")
      open Flags
      type mode = flags
      val irwxu = flag "S_IRWXU"
      val irusr = flag "S_IRUSR"
      val iwusr = flag "S_IWUSR"
      val ixusr = flag "S_IXUSR"
      val irwxg = flag "S_IRWXG"
      val irgrp = flag "S_IRGRP"
      val iwgrp = flag "S_IWGRP"
      val ixgrp = flag "S_IXGRP"
      val irwxo = flag "S_IRWXO"
      val iroth = flag "S_IROTH"
      val iwoth = flag "S_IWOTH"
      val ixoth = flag "S_IXOTH"
      val isuid = flag "S_ISUID"
      val isgid = flag "S_ISGID"
    end
    structure O =
    struct
      structure Flags =
        PosixFlags (val every = flag "O_APPEND|O_EXCL|O_NOCTTY|O_NONBLOCK|O_SYNC|O_TRUNC")
      open Flags
      val append = flag "O_APPEND"
      val excl = flag "O_EXCL"
      val noctty = flag "O_NOCTTY"
      val nonblock = flag "O_NONBLOCK"
      val sync = flag "O_SYNC"
      val trunc = flag "O_TRUNC"
    end
    datatype open_mode = datatype open_mode'
    fun how (mode, flags) =
      Word.toIntX
        (Word.orb
           (flag (case mode of O_RDONLY => "O_RDONLY" | O_WRONLY => "O_WRONLY" | O_RDWR => "O_RDWR"), flags))
    fun openf (name, mode, flags) = checked (P.openFile (name, how (mode, flags), 0))
    fun createf (name, mode, flags, permissions) =
      checked (P.openFile (name, how (mode, Word.orb (flag "O_CREAT", flags)), Word.toIntX permissions))
    fun creat (name, permissions) = createf (name, O_WRONLY, O.trunc, permissions)
    fun umask mode = Word.fromInt (checked (P.umask (Word.toIntX mode)))
    fun link {old, new} = done (P.link (old, new))
    fun mkdir (name, mode) = done (P.mkdir (name, Word.toIntX mode))
    fun mkfifo (name, mode) = done (P.mkfifo (name, Word.toIntX mode))
    val unlink = OS.FileSys.remove
    val rmdir = OS.FileSys.rmDir
    val rename = OS.FileSys.rename
    fun symlink {old, new} = done (P.symlink (old, new))
    val readlink = OS.FileSys.readLink
    type dev = Core.word
    fun wordToDev (w : dev) = w
    fun devToWord (w : dev) = w
    type ino = Core.word
    fun wordToIno (w : ino) = w
    fun inoToWord (w : ino) = w
    structure ST =
    struct
      (* The packed numbers of a file's status. *)
      type stat = string
      fun bits stat = Word.fromInt (unpack stat 0)
      fun is name stat = Word.andb (bits stat, flag "S_IFMT") = flag name
      fun isDir stat = is "S_IFDIR" stat
      fun isChr stat = is "S_IFCHR" stat
      fun isBlk stat = is "S_IFBLK" stat
      fun isReg stat = is "S_IFREG" stat
      fun isFIFO stat = is "S_IFIFO" stat
      fun isLink stat = is "S_IFLNK" stat
      fun isSock stat = is "S_IFSOCK" stat
      fun mode stat = Word.andb (bits stat, Word.notb (flag "S_IFMT"))
      fun ino stat = Word.fromInt (unpack stat 1)
      fun dev stat = Word.fromInt (unpack stat 2)
      fun nlink stat = unpack stat 3
      fun uid stat = unpack stat 4
      fun gid stat = unpack stat 5
      fun size stat = unpack stat 6
      fun atime stat = seconds (unpack stat 7)
      fun mtime stat = seconds (unpack stat 8)
      fun ctime stat = seconds (unpack stat 9)
    end
    fun stat name = checkedText (P.stat (name, 1))
    fun lstat name = checkedText (P.stat (name, 0))
    fun fstat file = checkedText (P.fstat file)
    datatype access_mode = A_READ | A_WRITE | A_EXEC
    fun access (name, modes) =
      OS.FileSys.access
        ( name
        , List.map
            (fn A_READ => OS.FileSys.A_READ | A_WRITE => OS.FileSys.A_WRITE | A_EXEC => OS.FileSys.A_EXEC)
            modes )
    fun chmod (name, mode) = done (P.chmod (name, Word.toIntX mode))
    fun fchmod (file, mode) = done (P.fchmod (file, Word.toIntX mode))
    val chown = done o P.chown
    val fchown = done o P.fchown
    fun utime (name, times) =
      let
        val {actime, modtime} =
          case times of
            SOME times => times
          | NONE => let val now = Time.now () in {actime = now, modtime = now} end
      in
        done (P.utime (name, wholeSeconds actime, wholeSeconds modtime))
      end
    val ftruncate = done o P.truncate
    fun limit (query, name) =
      case P.constant ("_PC_" ^ name) of
        ~1 => fail Error.inval
      | what => (case query what of ~1 => NONE | result => SOME (Word.fromInt (checked result)))
    fun pathconf (file, name) = limit (fn what => P.pathconf (file, what), name)
    fun fpathconf (file, name) = limit (fn what => P.fpathconf (file, what), name)
  end

  structure IO =
  struct
    type file_desc = int
    type pid = int
    fun pipe () =
      let
        val both = checked (P.pipe ())
      in
        {infd = both mod 0x100000000, outfd = both div 0x100000000}
      end
    fun dup file = checked (P.dup (file, 0))
    (* When a descriptor is closed, the threads that wait for it wake up. *)
    fun dup2 {old, new} = (done (P.dup2 (old, new)); if old = new then () else Core.Thread.closed new)
    fun dupfd {old, base} = checked (P.dup (old, base))
    fun close file = (done (P.close file); Core.Thread.closed file)
    (* Lets other threads run until a descriptor is ready, unless calls on this descriptor do not wait. The next call may still wait, if
       another thread was faster. *)
    fun await (file, event) =
      if Ready.events (file, event) = 0
         andalso Word.andb (Word.fromInt (P.control (file, P.constant "F_GETFL", 0)), flag "O_NONBLOCK") = 0w0
      then Ready.wait (file, event, fn () => true)
      else ()
    (* If a pipe has any room, it has room for this number of bytes. *)
    val pieceOfPipe = 4096
    fun isPipe file = FileSys.ST.isFIFO (FileSys.fstat file) handle OS.SysErr _ => false
    fun read (file, n) =
      if n < 0 then raise Size else (await (file, Ready.input); checkedText (P.read (file, n)))
    fun writeText (file, text, from, n) =
      let
        val () = await (file, Ready.output)
        val n = if n > pieceOfPipe andalso isPipe file then pieceOfPipe else n
      in
        checked (P.write (file, text, from, n))
      end
    fun readVec arg = Byte.stringToBytes (read arg)
    fun readArr (file, slice) =
      let
        val (dst, di, n) = Word8ArraySlice.base slice
        val bytes = readVec (file, n)
      in
        Word8Array.copyVec {src = bytes, dst = dst, di = di};
        Word8Vector.length bytes
      end
    fun writeVec (file, slice) =
      let val (bytes, from, n) = Word8VectorSlice.base slice
      in writeText (file, Byte.bytesToString bytes, from, n)
      end
    fun writeArr (file, slice) = writeVec (file, Word8VectorSlice.full (Word8ArraySlice.vector slice))
    datatype whence = SEEK_SET | SEEK_CUR | SEEK_END
    structure FD =
    struct
      structure Flags = PosixFlags (val every = flag "FD_CLOEXEC")
      open Flags
      val cloexec = all
    end
    structure O =
    struct
      structure Flags = PosixFlags (val every = flag "O_APPEND|O_NONBLOCK|O_SYNC")
      open Flags
      val append = flag "O_APPEND"
      val nonblock = flag "O_NONBLOCK"
      val sync = flag "O_SYNC"
    end
    datatype open_mode = datatype open_mode'
    fun control (file, what, argument) = checked (P.control (file, P.constant what, argument))
    fun getfd file = Word.fromInt (control (file, "F_GETFD", 0))
    fun setfd (file, flags) = ignore (control (file, "F_SETFD", Word.toIntX flags))
    fun getfl file =
      let
        val all = Word.fromInt (control (file, "F_GETFL", 0))
        val how = Word.andb (all, 0w3)
      in
        ( Word.andb (all, O.all)
        , if how = flag "O_RDONLY" then O_RDONLY else if how = flag "O_WRONLY" then O_WRONLY else O_RDWR )
      end
    fun setfl (file, flags) = ignore (control (file, "F_SETFL", Word.toIntX flags))
    fun lseek (file, to, from) =
      checked (P.seek (file, to, case from of SEEK_SET => 0 | SEEK_CUR => 1 | SEEK_END => 2))
    val fsync = done o P.sync

    structure File =
    struct
      val nonblock = O.nonblock
      val append = O.append
      val close = close
      fun isRegular file = FileSys.ST.isReg (FileSys.fstat file) handle OS.SysErr _ => false
      fun length file = FileSys.ST.size (FileSys.fstat file)
      fun place file = lseek (file, 0, SEEK_CUR)
      fun setPlace (file, at) = ignore (lseek (file, at, SEEK_SET))
      fun addFlags (file, flags) = setfl (file, Word.orb (flags, Word.fromInt (control (file, "F_GETFL", 0))))
    end
    structure Bin = PosixEnds (structure Prim = BinPrimIO val read = readVec val write = writeVec structure File = File)
    structure Text =
      PosixEnds
        (structure Prim = TextPrimIO
         val read = read
         fun write (file, slice) = let val (text, from, n) = CharVectorSlice.base slice in writeText (file, text, from, n) end
         structure File = File)
    val mkBinReader = Bin.reader
    val mkTextReader = Text.reader
    val mkBinWriter = Bin.writer
    val mkTextWriter = Text.writer
  end
end

end
