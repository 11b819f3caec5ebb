(* Substrings: splitting, trimming, scanning. *)
val s = Substring.full "  key = some value  "
val (k, v) = Substring.splitl (fn c => c <> #"=") s
fun trim s = Substring.string (Substring.dropr Char.isSpace (Substring.dropl Char.isSpace s))
val () = print ("[" ^ trim k ^ "][" ^ trim (Substring.triml 1 v) ^ "]\n")
val t = Substring.extract ("hello world", 6, NONE)
val () = print (Substring.string t ^ Int.toString (Substring.size t) ^ str (Substring.sub (t, 1)) ^ Substring.string (Substring.slice (t, 1, SOME 2)) ^ "\n")
val (a, b) = Substring.position "lo" (Substring.full "hello")
val () = print (Substring.string a ^ "/" ^ Substring.string b ^ " " ^ String.concatWith "," (map Substring.string (Substring.tokens Char.isPunct (Substring.full "a.b,,c"))) ^ "\n")
val () = print (Bool.toString (Substring.isPrefix "wor" t) ^ Bool.toString (Substring.isSuffix "x" t) ^ (case Substring.compare (t, Substring.full "world") of EQUAL => "=" | _ => "#") ^ Substring.concat [a, b] ^ "\n")
val (s', i, n) = Substring.base t
val () = print (s' ^ Int.toString i ^ Int.toString n ^ (case Substring.getc t of SOME (c, r) => str c ^ Substring.string r | NONE => "") ^ "\n")
fun num s = Option.map (fn (n, r) => (n, Substring.string r)) (Int.scan StringCvt.DEC Substring.getc (Substring.full s))
val () = print (case num " 42rest" of SOME (n, r) => Int.toString n ^ r ^ "\n" | NONE => "none\n")
