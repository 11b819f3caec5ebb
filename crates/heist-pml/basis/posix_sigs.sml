(* The signatures of Posix. *)

signature BIT_FLAGS =
sig
  eqtype flags
  val toWord : flags -> SysWord.word
  val fromWord : SysWord.word -> flags
  val all : flags
  val flags : flags list -> flags
  val intersect : flags list -> flags
  val clear : flags * flags -> flags
  val allSet : flags * flags -> bool
  val anySet : flags * flags -> bool
end

signature POSIX_ERROR =
sig
  eqtype syserror
  val toWord : syserror -> SysWord.word
  val fromWord : SysWord.word -> syserror
  val errorMsg : syserror -> string
  val errorName : syserror -> string
  val syserror : string -> syserror option
  val acces : syserror
  val again : syserror
  val badf : syserror
  val badmsg : syserror
  val busy : syserror
  val canceled : syserror
  val child : syserror
  val deadlk : syserror
  val dom : syserror
  val exist : syserror
  val fault : syserror
  val fbig : syserror
  val inprogress : syserror
  val intr : syserror
  val inval : syserror
  val io : syserror
  val isdir : syserror
  val loop : syserror
  val mfile : syserror
  val mlink : syserror
  val msgsize : syserror
  val nametoolong : syserror
  val nfile : syserror
  val nodev : syserror
  val noent : syserror
  val noexec : syserror
  val nolck : syserror
  val nomem : syserror
  val nospc : syserror
  val nosys : syserror
  val notdir : syserror
  val notempty : syserror
  val notsup : syserror
  val notty : syserror
  val nxio : syserror
  val perm : syserror
  val pipe : syserror
  val range : syserror
  val rofs : syserror
  val spipe : syserror
  val srch : syserror
  val toobig : syserror
  val xdev : syserror
end

signature POSIX_SIGNAL =
sig
  eqtype signal
  val toWord : signal -> SysWord.word
  val fromWord : SysWord.word -> signal
  val abrt : signal
  val alrm : signal
  val bus : signal
  val fpe : signal
  val hup : signal
  val ill : signal
  val int : signal
  val kill : signal
  val pipe : signal
  val quit : signal
  val segv : signal
  val term : signal
  val usr1 : signal
  val usr2 : signal
  val chld : signal
  val cont : signal
  val stop : signal
  val tstp : signal
  val ttin : signal
  val ttou : signal
end

(* The signature has no `fork`: a copy of the process would have none of its workers. *)
signature POSIX_PROCESS =
sig
  eqtype signal
  eqtype pid
  val wordToPid : SysWord.word -> pid
  val pidToWord : pid -> SysWord.word
  val exec : string * string list -> 'a
  val exece : string * string list * string list -> 'a
  val execp : string * string list -> 'a
  val exit : Word8.word -> 'a
  structure W : sig include BIT_FLAGS val untraced : flags end
  datatype exit_status = W_EXITED | W_EXITSTATUS of Word8.word | W_SIGNALED of signal | W_STOPPED of signal
  val fromStatus : OS.Process.status -> exit_status
  datatype waitpid_arg = W_ANY_CHILD | W_CHILD of pid | W_SAME_GROUP | W_GROUP of pid
  val wait : unit -> pid * exit_status
  val waitpid : waitpid_arg * W.flags list -> pid * exit_status
  val waitpid_nh : waitpid_arg * W.flags list -> (pid * exit_status) option
  datatype killpid_arg = K_PROC of pid | K_SAME_GROUP | K_GROUP of pid
  val kill : killpid_arg * signal -> unit
  val sleep : Time.time -> Time.time
end

signature POSIX_PROC_ENV =
sig
  eqtype pid
  eqtype uid
  eqtype gid
  eqtype file_desc
  val uidToWord : uid -> SysWord.word
  val wordToUid : SysWord.word -> uid
  val gidToWord : gid -> SysWord.word
  val wordToGid : SysWord.word -> gid
  val getpid : unit -> pid
  val getppid : unit -> pid
  val getuid : unit -> uid
  val geteuid : unit -> uid
  val getgid : unit -> gid
  val getegid : unit -> gid
  val setuid : uid -> unit
  val setgid : gid -> unit
  val getgroups : unit -> gid list
  val getlogin : unit -> string
  val getpgrp : unit -> pid
  val setsid : unit -> pid
  val setpgid : {pid : pid option, pgid : pid option} -> unit
  val uname : unit -> (string * string) list
  val time : unit -> Time.time
  val times :
    unit -> {elapsed : Time.time, utime : Time.time, stime : Time.time, cutime : Time.time, cstime : Time.time}
  val getenv : string -> string option
  val environ : unit -> string list
  val ctermid : unit -> string
  val ttyname : file_desc -> string
  val isatty : file_desc -> bool
  val sysconf : string -> SysWord.word
end

signature POSIX_FILE_SYS =
sig
  eqtype uid
  eqtype gid
  eqtype file_desc
  val fdToWord : file_desc -> SysWord.word
  val wordToFD : SysWord.word -> file_desc
  val fdToIOD : file_desc -> OS.IO.iodesc
  val iodToFD : OS.IO.iodesc -> file_desc option
  type dirstream
  val opendir : string -> dirstream
  val readdir : dirstream -> string option
  val rewinddir : dirstream -> unit
  val closedir : dirstream -> unit
  val chdir : string -> unit
  val getcwd : unit -> string
  val stdin : file_desc
  val stdout : file_desc
  val stderr : file_desc
  structure S :
  sig
    eqtype mode
    include BIT_FLAGS where type flags = mode
    val irwxu : mode
    val irusr : mode
    val iwusr : mode
    val ixusr : mode
    val irwxg : mode
    val irgrp : mode
    val iwgrp : mode
    val ixgrp : mode
    val irwxo : mode
    val iroth : mode
    val iwoth : mode
    val ixoth : mode
    val isuid : mode
    val isgid : mode
  end
  structure O :
  sig
    include BIT_FLAGS
    val append : flags
    val excl : flags
    val noctty : flags
    val nonblock : flags
    val sync : flags
    val trunc : flags
  end
  datatype open_mode = O_RDONLY | O_WRONLY | O_RDWR
  val openf : string * open_mode * O.flags -> file_desc
  val createf : string * open_mode * O.flags * S.mode -> file_desc
  val creat : string * S.mode -> file_desc
  val umask : S.mode -> S.mode
  val link : {old : string, new : string} -> unit
  val mkdir : string * S.mode -> unit
  val mkfifo : string * S.mode -> unit
  val unlink : string -> unit
  val rmdir : string -> unit
  val rename : {old : string, new : string} -> unit
  val symlink : {old : string, new : string} -> unit
  val readlink : string -> string
  eqtype dev
  val wordToDev : SysWord.word -> dev
  val devToWord : dev -> SysWord.word
  eqtype ino
  val wordToIno : SysWord.word -> ino
  val inoToWord : ino -> SysWord.word
  structure ST :
  sig
    type stat
    val isDir : stat -> bool
    val isChr : stat -> bool
    val isBlk : stat -> bool
    val isReg : stat -> bool
    val isFIFO : stat -> bool
    val isLink : stat -> bool
    val isSock : stat -> bool
    val mode : stat -> S.mode
    val ino : stat -> ino
    val dev : stat -> dev
    val nlink : stat -> int
    val uid : stat -> uid
    val gid : stat -> gid
    val size : stat -> Position.int
    val atime : stat -> Time.time
    val mtime : stat -> Time.time
    val ctime : stat -> Time.time
  end
  val stat : string -> ST.stat
  val lstat : string -> ST.stat
  val fstat : file_desc -> ST.stat
  datatype access_mode = A_READ | A_WRITE | A_EXEC
  val access : string * access_mode list -> bool
  val chmod : string * S.mode -> unit
  val fchmod : file_desc * S.mode -> unit
  val chown : string * uid * gid -> unit
  val fchown : file_desc * uid * gid -> unit
  val utime : string * {actime : Time.time, modtime : Time.time} option -> unit
  val ftruncate : file_desc * Position.int -> unit
  val pathconf : string * string -> SysWord.word option
  val fpathconf : file_desc * string -> SysWord.word option
end

(* The signature has no locks on parts of files. *)
signature POSIX_IO =
sig
  eqtype file_desc
  eqtype pid
  val pipe : unit -> {infd : file_desc, outfd : file_desc}
  val dup : file_desc -> file_desc
  val dup2 : {old : file_desc, new : file_desc} -> unit
  val close : file_desc -> unit
  val readVec : file_desc * int -> Word8Vector.vector
  val readArr : file_desc * Word8ArraySlice.slice -> int
  val writeVec : file_desc * Word8VectorSlice.slice -> int
  val writeArr : file_desc * Word8ArraySlice.slice -> int
  datatype whence = SEEK_SET | SEEK_CUR | SEEK_END
  structure FD : sig include BIT_FLAGS val cloexec : flags end
  structure O :
  sig
    include BIT_FLAGS
    val append : flags
    val nonblock : flags
    val sync : flags
  end
  datatype open_mode = O_RDONLY | O_WRONLY | O_RDWR
  val dupfd : {old : file_desc, base : file_desc} -> file_desc
  val getfd : file_desc -> FD.flags
  val setfd : file_desc * FD.flags -> unit
  val getfl : file_desc -> O.flags * open_mode
  val setfl : file_desc * O.flags -> unit
  val lseek : file_desc * Position.int * whence -> Position.int
  val fsync : file_desc -> unit
  val mkBinReader : {fd : file_desc, name : string, initBlkMode : bool} -> BinPrimIO.reader
  val mkTextReader : {fd : file_desc, name : string, initBlkMode : bool} -> TextPrimIO.reader
  val mkBinWriter :
    {fd : file_desc, name : string, appendMode : bool, initBlkMode : bool, chunkSize : int} -> BinPrimIO.writer
  val mkTextWriter :
    {fd : file_desc, name : string, appendMode : bool, initBlkMode : bool, chunkSize : int} -> TextPrimIO.writer
end

signature POSIX =
sig
  structure Error : POSIX_ERROR
  structure Signal : POSIX_SIGNAL
  structure Process : POSIX_PROCESS
  structure ProcEnv : POSIX_PROC_ENV
  structure FileSys : POSIX_FILE_SYS
  structure IO : POSIX_IO
  sharing type Process.pid = ProcEnv.pid = IO.pid
  sharing type Process.signal = Signal.signal
  sharing type ProcEnv.file_desc = FileSys.file_desc = IO.file_desc
  sharing type ProcEnv.uid = FileSys.uid
  sharing type ProcEnv.gid = FileSys.gid
  sharing type FileSys.open_mode = IO.open_mode
end
