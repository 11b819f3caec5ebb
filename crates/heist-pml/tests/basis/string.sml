fun say s = print (s ^ "\n")
fun try f = (say (f ())) handle e => say ("raises " ^ exnName e)
val bool = Bool.toString
val int = Int.toString
fun strings l = "[" ^ String.concatWith "," (map (fn s => "\"" ^ String.toString s ^ "\"") l) ^ "]"
fun order LESS = "LESS" | order EQUAL = "EQUAL" | order GREATER = "GREATER"
(* Char *)
val () = try (fn () => int (ord #"a") ^ str (chr 98) ^ int Char.maxOrd)
val () = try (fn () => str (chr 256))
val () = try (fn () => str (chr ~1))
val () = try (fn () => str (Char.succ #"a") ^ str (Char.pred #"b"))
val () = try (fn () => str (Char.succ Char.maxChar))
val () = try (fn () => str (Char.pred Char.minChar))
val () = try (fn () => order (Char.compare (#"a", #"b")) ^ bool (#"a" < #"b") ^ bool (Char.>= (#"a", #"b")))
val () = try (fn () => bool (Char.contains "abc" #"b") ^ bool (Char.notContains "abc" #"b"))
val tests =
  [ Char.isAscii, Char.isAlpha, Char.isAlphaNum, Char.isCntrl, Char.isDigit, Char.isGraph, Char.isHexDigit, Char.isLower
  , Char.isPrint, Char.isSpace, Char.isPunct, Char.isUpper ]
val () = app (fn test => say (implode (List.tabulate (256, fn i => if test (chr i) then #"1" else #"0")))) tests
val () = say (String.toString (implode (List.tabulate (256, fn i => Char.toLower (chr i)))))
val () = say (String.toCString (implode (List.tabulate (256, fn i => Char.toUpper (chr i)))))
val () = app (fn i => say (Char.toString (chr i) ^ " " ^ Char.toCString (chr i))) [0, 7, 10, 32, 34, 39, 63, 92, 127, 200]
fun char s = say (case Char.fromString s of NONE => "NONE" | SOME c => "SOME " ^ Char.toString c)
val () =
  app char
    [ "", "a\\q", "\\q", "\n", "\\   \\b", "\\u0041", "\\065", "\\300", "\\^A", "\\^a", "\"", "\\n", "\\a\\b", "\\255", "\\25"
    , "\\", "x" ]
fun cchar s = say (case Char.fromCString s of NONE => "NONE" | SOME c => "SOME " ^ Char.toString c)
val () = app cchar ["", "a", "\\n", "\\x41", "\\101", "\\?", "\\'", "\\q", "\\x", "\\8"]
(* String *)
val () = try (fn () => int (size "hello") ^ str (String.sub ("hello", 1)))
val () = try (fn () => str (String.sub ("hello", 5)))
val () = try (fn () => str (String.sub ("hello", ~1)))
val () = try (fn () => String.extract ("hello", 1, NONE) ^ String.extract ("hello", 1, SOME 2) ^ String.extract ("hello", 5, NONE))
val () = try (fn () => String.extract ("hello", 6, NONE))
val () = try (fn () => String.extract ("hello", 2, SOME 4))
val () = try (fn () => substring ("hello", 1, 3))
val () = try (fn () => substring ("hello", ~1, 3))
val () = try (fn () => substring ("hello", 1, ~3))
val () = try (fn () => substring ("hello", 5, 0))
val () = try (fn () => "a" ^ "" ^ "b" ^ "cd")
val () = try (fn () => concat ["ab", "", "c"] ^ concat [])
val () = try (fn () => String.concatWith ", " ["a", "b", "c"] ^ String.concatWith "x" [] ^ String.concatWith "x" ["y"])
val () = try (fn () => implode [#"a", #"b"] ^ implode [])
val () = try (fn () => int (length (explode "abc")) ^ implode (rev (explode "abc")))
val () = try (fn () => String.map Char.toUpper "hello")
val () = try (fn () => String.translate (fn #"l" => "LL" | c => str c) "hello")
val () = try (fn () => strings (String.tokens (fn c => c = #",") ",a,,bc,"))
val () = try (fn () => strings (String.fields (fn c => c = #",") ",a,,bc,"))
val () = try (fn () => strings (String.tokens (fn c => c = #",") "") ^ strings (String.fields (fn c => c = #",") ""))
val () = try (fn () => bool (String.isPrefix "he" "hello") ^ bool (String.isPrefix "" "") ^ bool (String.isPrefix "hello!" "hello"))
val () = try (fn () => bool (String.isSuffix "lo" "hello") ^ bool (String.isSuffix "le" "hello"))
val () = try (fn () => bool (String.isSubstring "ell" "hello") ^ bool (String.isSubstring "elo" "hello") ^ bool (String.isSubstring "" ""))
val () = try (fn () => order (String.compare ("abc", "abd")) ^ order (String.compare ("abc", "ab")) ^ order (String.compare ("", "")))
val () = try (fn () => order (String.compare ("\200", "a")))
val () = try (fn () => order (String.collate (fn (a, b) => Char.compare (b, a)) ("abc", "abd")))
val () = try (fn () => bool ("a" < "b") ^ bool ("a" <= "a") ^ bool ("b" > "ba") ^ bool ("b" >= "ba"))
val () = try (fn () => bool ("abc" = "ab" ^ "c") ^ bool ("abc" <> "abd"))
val () = try (fn () => String.toString "a\n\t\"\\\127\200\001")
val () = try (fn () => String.toCString "a\n\t\"\\\127\200\001?'")
fun from s = say (case String.fromString s of NONE => "NONE" | SOME r => "SOME " ^ String.toString r)
val () =
  app from
    [ "", "a\\q", "\\q", "\\ \\", "\n", "a\nb", "\\ \\\n", "a\\   \\b", "\\u0041", "\\065", "\\300", "\\^A", "\"", "\\   \\\\q"
    , "abc\\", "abc\\12", "a\\ b", "tab\\tx" ]
fun fromC s = say (case String.fromCString s of NONE => "NONE" | SOME r => "SOME " ^ String.toString r)
val () = app fromC ["", "a\\n\\x41z", "\\101\\1012", "\\q", "ab\\q"]
(* StringCvt *)
open StringCvt
val () = try (fn () => "[" ^ padLeft #"*" 5 "ab" ^ padRight #"*" 5 "ab" ^ padLeft #"*" 1 "ab" ^ "]")
fun reader s i = if i < size s then SOME (String.sub (s, i), i + 1) else NONE
val () = try (fn () => let val (a, i) = splitl Char.isDigit (reader "123ab") 0 in a ^ "/" ^ int i end)
val () = try (fn () => takel Char.isDigit (reader "123ab") 0)
val () = try (fn () => int (dropl Char.isDigit (reader "123ab") 0))
val () = try (fn () => int (skipWS (reader " \t\n\v\f\rx") 0))
val () = try (fn () => bool (isSome (scanString (fn getc => fn i => getc i) "")) ^ str (valOf (scanString (fn getc => fn i => getc i) "xy")))
(* Substring *)
structure S = Substring
val s = S.substring ("hello, world", 3, 6)
fun parts (a, b) = S.string a ^ "|" ^ S.string b
val () = try (fn () => S.string s ^ int (S.size s) ^ str (S.sub (s, 2)))
val () = try (fn () => str (S.sub (s, 6)))
val () = try (fn () => let val (a, i, n) = S.base s in a ^ int i ^ int n end)
val () = try (fn () => S.string (S.extract ("hello", 2, NONE)) ^ S.string (S.full "abc"))
val () = try (fn () => S.string (S.extract ("hello", 6, NONE)))
val () = try (fn () => bool (S.isEmpty s) ^ (case S.getc s of SOME (c, r) => str c ^ S.string r | NONE => "NONE"))
val () = try (fn () => case S.first s of SOME c => str c | NONE => "NONE")
val () = try (fn () => S.string (S.triml 2 s) ^ S.string (S.trimr 2 s) ^ S.string (S.triml 100 s))
val () = try (fn () => S.string (S.triml ~1 s))
val () = try (fn () => S.string (S.slice (s, 1, SOME 2)) ^ S.string (S.slice (s, 4, NONE)))
val () = try (fn () => S.string (S.slice (s, 5, SOME 2)))
val () = try (fn () => S.concat [s, s] ^ S.concatWith "-" [s, s] ^ int (length (S.explode s)))
val () = try (fn () => bool (S.isPrefix "lo" s) ^ bool (S.isSuffix "wo" s) ^ bool (S.isSubstring ", " s) ^ bool (S.isSubstring "x" s))
val () = try (fn () => order (S.compare (s, S.full "lo, x")) ^ order (S.collate Char.compare (s, s)))
val () = try (fn () => parts (S.splitl Char.isAlpha s))
val () = try (fn () => parts (S.splitr Char.isAlpha s))
val () = try (fn () => parts (S.splitAt (s, 2)))
val () = try (fn () => parts (S.splitAt (s, 7)))
val () = try (fn () => S.string (S.dropl Char.isAlpha s) ^ S.string (S.dropr Char.isAlpha s) ^ S.string (S.takel Char.isAlpha s) ^ S.string (S.taker Char.isAlpha s))
val () = try (fn () => parts (S.position ", " s))
val () = try (fn () => parts (S.position "zz" s))
val h = "hello"
val () = try (fn () => S.string (S.span (S.substring (h, 1, 1), S.substring (h, 3, 1))))
val () = try (fn () => S.string (S.span (S.substring (h, 3, 2), S.substring (h, 0, 1))))
val () = try (fn () => S.translate (fn c => str c ^ str c) s)
val () = try (fn () => strings (map S.string (S.tokens (fn c => c = #",") (S.full ",a,,b"))) ^ strings (map S.string (S.fields (fn c => c = #",") (S.full ",a,,b"))))
val () = (S.app (print o str) s; print "\n")
val () = try (fn () => S.foldl (fn (c, l) => l ^ str c) "" s ^ S.foldr (fn (c, l) => l ^ str c) "" s)
(* Byte *)
val () = try (fn () => Word8.toString (Byte.charToByte #"a") ^ str (Byte.byteToChar 0wx62))
val () = try (fn () => Byte.bytesToString (Byte.stringToBytes "bytes"))
val bytes = Word8Array.array (5, 0wx2E)
val () = Byte.packString (bytes, 1, Substring.full "abc")
val () = try (fn () => Byte.unpackString (Word8ArraySlice.full bytes) ^ Byte.unpackStringVec (Word8VectorSlice.full (Byte.stringToBytes "v")))
val () = try (fn () => (Byte.packString (bytes, 3, Substring.full "abc"); "?"))
