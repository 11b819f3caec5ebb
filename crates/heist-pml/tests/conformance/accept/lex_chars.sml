(* Character literals, and their use in patterns. *)
fun kind #"a" = "letter a"
  | kind #"\n" = "newline"
  | kind #"\"" = "quote"
  | kind #"\\" = "backslash"
  | kind #"\^C" = "interrupt"
  | kind #"\200" = "high"
  | kind c = if Char.isDigit c then "digit" else "other"
val () = app (fn c => print (kind c ^ "\n"))
  [#"a", #"\n", #"\"", #"\\", chr 3, chr 200, #"7", #" "]
