fun say s = print (s ^ "\n")
fun try f = (say (f ())) handle IO.Io {name, function, ...} => say ("Io " ^ (if String.isSuffix "openIn" function then "openIn" else if String.isSuffix "openOut" function then "openOut" else "output")) | OS.SysErr _ => say "system error" | e => say ("raises " ^ exnName e)
val bool = Bool.toString
val int = Int.toString
fun opt f NONE = "NONE" | opt f (SOME x) = "SOME " ^ f x
val name = OS.FileSys.tmpName ()
val out = TextIO.openOut name
val () = (TextIO.output (out, "first line\nsecond\n"); TextIO.output1 (out, #"t"); TextIO.outputSubstr (out, Substring.full "hird"); TextIO.flushOut out; TextIO.closeOut out)
val () = try (fn () => (TextIO.output (out, "x"); "written?"))
val () = TextIO.closeOut out
val ins = TextIO.openIn name
val () = try (fn () => opt String.toString (TextIO.inputLine ins))
val () = try (fn () => opt str (TextIO.lookahead ins) ^ opt str (TextIO.input1 ins))
val () = try (fn () => TextIO.inputN (ins, 3) ^ "|" ^ bool (TextIO.endOfStream ins))
val () = try (fn () => opt String.toString (TextIO.inputLine ins) ^ opt String.toString (TextIO.inputLine ins) ^ opt String.toString (TextIO.inputLine ins))
val () = try (fn () => bool (TextIO.endOfStream ins) ^ opt str (TextIO.input1 ins) ^ TextIO.inputAll ins ^ TextIO.input ins)
val () = TextIO.closeIn ins
val out = TextIO.openAppend name
val () = (TextIO.output (out, " and more 42 17 x"); TextIO.closeOut out)
val ins = TextIO.openIn name
val () = try (fn () => String.toString (TextIO.inputAll ins))
val () = TextIO.closeIn ins
val ins = TextIO.openString "12 34 rest"
val () = try (fn () => opt int (TextIO.scanStream (Int.scan StringCvt.DEC) ins) ^ opt int (TextIO.scanStream (Int.scan StringCvt.DEC) ins) ^ opt int (TextIO.scanStream (Int.scan StringCvt.DEC) ins) ^ TextIO.inputAll ins)
val f = TextIO.getInstream (TextIO.openString "abc")
val (s, g) = TextIO.StreamIO.inputN (f, 2)
val () = try (fn () => s ^ #1 (TextIO.StreamIO.inputAll g) ^ #1 (TextIO.StreamIO.inputAll f) ^ bool (TextIO.StreamIO.endOfStream g))
val () = try (fn () => (ignore (TextIO.openIn "/nonexistent/file"); "opened"))
val () = try (fn () => (ignore (TextIO.openOut "/nonexistent/file"); "opened"))
val b = BinIO.openOut name
val () = (BinIO.output (b, Word8Vector.fromList [0w1, 0w255]); BinIO.output1 (b, 0w7); BinIO.closeOut b)
val b = BinIO.openIn name
val () = try (fn () => String.concatWith "," (Word8Vector.foldr (fn (w, l) => Word8.toString w :: l) [] (BinIO.inputAll b)))
val () = BinIO.closeIn b
structure F = OS.FileSys
val () = try (fn () => bool (F.isDir "/") ^ bool (F.isDir name) ^ bool (F.access (name, [])) ^ bool (F.access ("/nonexistent", [])))
val () = try (fn () => bool (F.isDir "/nonexistent"))
val () = F.rename {old = name, new = name ^ "x"}
val () = try (fn () => bool (F.access (name ^ "x", [F.A_READ])) ^ bool (F.access (name, [])))
val () = F.remove (name ^ "x")
val () = try (fn () => (F.remove name; "removed"))
val () = F.mkDir name
val () = TextIO.closeOut (TextIO.openOut (name ^ "/file"))
val d = F.openDir name
val () = try (fn () => opt (fn s => s) (F.readDir d) ^ opt (fn s => s) (F.readDir d))
val () = F.closeDir d
val () = (F.remove (name ^ "/file"); F.rmDir name)
val () = try (fn () => bool (isSome (OS.Process.getEnv "PATH")) ^ bool (isSome (OS.Process.getEnv "NO_SUCH_VARIABLE")))
(* paths *)
structure P = OS.Path
val paths = ["", ".", "/", "/a", "a", "a/b", "/a/b", "a/", "a/b/", "//", "/a//b", "..", "../a", "a.b", "a.b.c", ".emacs", "a/.b", "a/b."]
fun each f = app (fn p => try (fn () => p ^ " -> " ^ f p)) paths
fun q s = "\"" ^ s ^ "\""
val () = each (fn p => let val {isAbs, vol, arcs} = P.fromString p in bool isAbs ^ vol ^ String.concatWith "," (map q arcs) ^ q (P.toString {isAbs = isAbs, vol = vol, arcs = arcs}) end)
val () = each (fn p => let val {dir, file} = P.splitDirFile p in q dir ^ q file ^ q (P.joinDirFile {dir = dir, file = file}) end)
val () = each (fn p => let val {base, ext} = P.splitBaseExt p in q base ^ opt q ext ^ q (P.joinBaseExt {base = base, ext = ext}) end)
val () = each (fn p => q (P.getParent p))
val () = each (fn p => q (P.mkCanonical p) ^ bool (P.isCanonical p) ^ bool (P.isAbsolute p) ^ bool (P.isRoot p))
val () = app (fn (a, b) => try (fn () => q (P.concat (a, b)))) [("a", "b"), ("a/", "b"), ("", "b"), ("a", ""), ("/", "b"), ("a", "/b")]
val () = app (fn (a, b) => try (fn () => q (P.mkAbsolute {path = a, relativeTo = b}))) [("a", "/b"), ("../a", "/b/c"), ("/x", "/b"), ("a", "b"), ("/x", "b")]
val () = app (fn (a, b) => try (fn () => q (P.mkRelative {path = a, relativeTo = b}))) [("/a/b", "/a/c"), ("/a/b", "/a/b"), ("/", "/a/b"), ("/a/b", "/"), ("x", "/b"), ("/a", "b"), ("/a/b/c", "/a/d/e")]
val () = try (fn () => P.dir "a/b" ^ P.file "a/b" ^ P.base "a.b" ^ opt q (P.ext "a.b"))
val () = try (fn () => P.toString {isAbs = false, vol = "", arcs = ["", "a"]})
val () = try (fn () => P.toString {isAbs = true, vol = "", arcs = ["a/b"]})
(* Time and Date *)
val t = Time.fromReal 1.5
val () = try (fn () => Time.toString t ^ " " ^ Time.fmt 0 t ^ " " ^ Time.fmt 6 t ^ " " ^ Time.toString (Time.fromReal ~2.25) ^ " " ^ Real.toString (Time.toReal t))
val () = try (fn () => IntInf.toString (Time.toSeconds t) ^ " " ^ IntInf.toString (Time.toMilliseconds t) ^ " " ^ IntInf.toString (Time.toMicroseconds t))
val () = try (fn () => Time.toString (Time.+ (t, Time.fromSeconds 2)) ^ " " ^ Time.toString (Time.- (t, Time.fromMilliseconds 2)) ^ bool (Time.< (t, Time.zeroTime)))
val () = app (fn s => try (fn () => opt Time.toString (Time.fromString s))) ["1.25", " 3", ".5", "x", "1.", "~2.5", "1.123456789"]
val d = Date.date {year = 1995, month = Date.Mar, day = 8, hour = 19, minute = 6, second = 45, offset = SOME Time.zeroTime}
val () = try (fn () => Date.toString d ^ " " ^ int (Date.yearDay d) ^ " " ^ IntInf.toString (Time.toSeconds (Date.toTime d)))
val () = try (fn () => Date.fmt "%Y-%m-%d %H:%M:%S %j %a %A %b %B %p %I %y %U %W %w %%" d)
val () = try (fn () => Date.toString (Date.fromTimeUniv (Time.fromSeconds 951782400)) ^ " " ^ Date.toString (Date.fromTimeUniv (Time.fromSeconds 0)))
val () = try (fn () => Date.toString (Date.date {year = 2020, month = Date.Jan, day = 32, hour = 25, minute = 61, second = 0, offset = SOME Time.zeroTime}))
val () = try (fn () => opt Date.toString (Date.fromString "Wed Mar 08 19:06:45 1995"))
val () = try (fn () => case Date.compare (d, Date.fromTimeUniv Time.zeroTime) of GREATER => "GREATER" | _ => "other")
val () = OS.Process.atExit (fn () => say "at exit")
