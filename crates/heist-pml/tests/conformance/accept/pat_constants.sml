(* Integer, word, string and char constants; rules tried in order. *)
fun roman 1 = "I" | roman 5 = "V" | roman 10 = "X" | roman ~1 = "-I" | roman 0x32 = "L" | roman n = "<" ^ Int.toString n ^ ">"
fun word 0w0 = "zero" | word 0wxff = "byte" | word _ = "word"
fun greet "hello" = 1 | greet "hell" = 2 | greet "" = 3 | greet "hello world" = 4 | greet _ = 5
fun pair (0, _) = "a" | pair (_, 0) = "b" | pair (1, 1) = "c" | pair (x, y) = if x = y then "d" else "e"
val () = app (fn n => print (roman n ^ " ")) [1, 5, 10, ~1, 50, 7]
val () = app (fn w => print (word w ^ " ")) [0w0, 0w255, 0w1]
val () = app (fn s => print (Int.toString (greet s) ^ " ")) ["hello", "hell", "", "hello world", "hel", "hello "]
val () = app (fn p => print (pair p)) [(0, 0), (2, 0), (1, 1), (3, 3), (3, 4)]
val () = print "\n"
