(* System calls that fail or wait because of `calls.c`. The arguments are a folder and the call. *)
val (folder, call) = case CommandLine.arguments () of [folder, call] => (folder, call) | _ => raise Match
val () = OS.FileSys.chDir folder
structure F = Posix.FileSys
structure M = MPL.File
fun tried f = (ignore (f ()); "fine") handle M.Closed => "Closed" | OS.SysErr (_, SOME e) => OS.errorName e | e => exnName e
fun dump (name, text) = let val file = TextIO.openOut name in TextIO.output (file, text); TextIO.closeOut file end
fun exists name = OS.FileSys.access (name, [])
fun wait name = if exists name then () else wait name

fun close () = (dump ("some", "text"); F.rename {old = "some", new = "marked"}; [tried (fn () => M.openFile "marked")])
fun fallocate () =
  let
    val () = dump ("file", "text")
    val opened = tried (fn () =>
      let val {file, file_size} = M.openFileWriteable "file" 100000
      in M.writeChar {file = file, file_offset = file_size + 99999} #"x"; M.closeFile file
      end)
    val file = M.openFile "file"
    fun at i = if i < M.size file then Char.toString (M.readChar file i) else "none"
  in
    [opened, Int.toString (M.size file), at 0, at 4, at 100003]
  end
fun munmap () =
  let
    val () = dump ("file", CharVector.tabulate (12345, fn _ => #"x"))
    val file = M.openFile "file"
  in
    [tried (fn () => M.closeFile file), tried (fn () => M.closeFile file), tried (fn () => M.readChar file 0)]
  end
(* The left side waits in a system call until the right side has run a full collection, which stops all workers. *)
fun collecting (waits, before', ends) =
  let
    val begun = ref false
    fun await () = if ! begun then () else await ()
    val kept = ref (Array.array (1, 0))
    fun collect k = if k = 0 then () else (kept := Array.array (0x20000, k); collect (k - 1))
  in
    #1 (ForkJoin.par (fn () => (await (); waits ()), fn () => (begun := true; before' (); collect 2000; ends ())))
  end
fun fsync () =
  let
    val () = dump ("marked", "")
    val file = F.openf ("marked", F.O_RDWR, F.O.flags [])
  in
    [collecting (fn () => tried (fn () => Posix.IO.fsync file), fn () => wait "in", fn () => dump ("go", ""))]
  end
(* As above, for a pipe without a second end. If the right side never comes to open that end, another program opens it. *)
fun pipe () =
  let
    val () = F.mkfifo ("pipe", F.S.flags [F.S.irusr, F.S.iwusr])
    val _ = OS.Process.system "(sleep 60; [ -e opened ] || timeout 5 sh -c 'printf late > pipe') > /dev/null 2>&1 &"
    fun first () = TextIO.inputAll (TextIO.openIn "pipe") before dump ("opened", "")
  in
    [collecting (first, fn () => (), fn () => if exists "opened" then () else dump ("pipe", "soon"))]
  end
(* The end of another map stops a worker in the middle of a long store. *)
fun store () =
  let
    val n = 0x1000000
    val all = ArraySlice.full (Array.array (n, 0w1 : Word8.word))
    fun round 0 = "never"
      | round k =
          let
            val () = dump ("file", "")
            val {file, ...} = M.openFileWriteable "file" n
            val other = M.openFile "marked"
            fun begun () = if M.readChar file 0 = #"\000" then begun () else ()
            val ((), last) =
              ForkJoin.par
                ( fn () => M.writeWord8s {file = file, file_offset = 0} all
                , fn () => (begun (); M.closeFile other; M.readChar file (n - 1)) )
          in
            M.closeFile file;
            if last = #"\000" then "stopped" else round (k - 1)
          end
  in
    dump ("marked", "text");
    [round 30]
  end
val words =
  case call of "close" => close () | "fallocate" => fallocate () | "munmap" => munmap () | "fsync" => fsync () | "pipe" => pipe () | _ => store ()
val () = print (String.concatWith " " words ^ "\n")
