(* The command line of a program without arguments. *)
val () = print (Int.toString (length (CommandLine.arguments ())) ^ " " ^ Bool.toString (size (CommandLine.name ()) > 0) ^ "\n")
