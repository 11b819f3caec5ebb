(* Exceptions through signatures: specified, raised inside, handled outside. *)
signature PARSER = sig exception Syntax of int * string exception Eof val digit : string -> int end
structure Parser :> PARSER = struct
  exception Syntax of int * string
  exception Eof
  fun digit "" = raise Eof
    | digit s = let val c = String.sub (s, 0) in if Char.isDigit c then ord c - 48 else raise Syntax (0, str c) end
end
fun try s = Int.toString (Parser.digit s) handle Parser.Syntax (i, c) => "at " ^ Int.toString i ^ ": " ^ c | Parser.Eof => "eof"
val () = app (fn s => print (try s ^ "\n")) ["7", "x", ""]
