(* The structure String. *)
val s = "The quick brown fox"
fun p s = print (s ^ "|")
val () = (p (String.substring (s, 4, 5)); p (String.extract (s, 16, NONE)); p (String.extract (s, 4, SOME 3)); p (String.concat ["a", "", "b"]); p (String.concatWith "-" ["x", "y", "z"]))
val () = (p (String.map Char.toUpper s); p (String.translate (fn #"o" => "00" | c => str c) s); p (implode (rev (explode "abc"))); p (str #"c"))
val () = (app p (String.tokens Char.isSpace "  a b  c "); app p (String.fields (fn c => c = #",") "a,,b,"))
val () = print "\n"
val () = app (fn b => print (Bool.toString b ^ " ")) [String.isPrefix "The" s, String.isSuffix "fox" s, String.isSubstring "quick" s, String.isSubstring "quack" s, "abc" < "abd", "ab" < "abc", "B" < "a", "" <= "", String.isPrefix "" ""]
val () = print "\n"
val () = print (Int.toString (size s) ^ str (String.sub (s, 4)) ^ (case String.compare ("b", "a") of GREATER => "G" | _ => "?") ^ (case String.collate Char.compare ("a", "ab") of LESS => "L" | _ => "?") ^ "\n")
val () = print (String.toString "a\tb\n\"q\"\\\001\200" ^ " " ^ valOf (String.fromString "x\\ty\\065") ^ " " ^ String.toCString "a\nb?\001" ^ "\n")
