(* OS.Path: splits and joins names of files. *)
val () = app (fn p => let val {dir, file} = OS.Path.splitDirFile p val {base, ext} = OS.Path.splitBaseExt file in print ("[" ^ dir ^ "][" ^ base ^ "][" ^ getOpt (ext, "-") ^ "] ") end) ["a/b/c.txt", "/x", "noext", "dir/.hidden", "a.tar.gz"]
val () = print ("\n" ^ OS.Path.concat ("a/b", "c") ^ " " ^ OS.Path.joinBaseExt {base = "x", ext = SOME "sml"} ^ " " ^ OS.Path.mkCanonical "a/../b/./c//d" ^ " " ^ Bool.toString (OS.Path.isAbsolute "/a") ^ Bool.toString (OS.Path.isRelative "a") ^ "\n")
