(* Parallel arrays of strings and of options; a word count. *)
val words = PArray.fromList (String.tokens Char.isSpace "to be or not to be that is the question")
val lengths = [| size w | w in words |]
val long = [| w | w in words where size w > 2 |]
val firsts = mapP (fn w => String.sub (w, 0)) words
fun count w = lengthP [| v | v in words where v = w |]
val () = print (PArray.toString Int.toString "" lengths ^ " " ^ PArray.toString (fn s => s) "," long ^ " " ^ PArray.toString str "" firsts ^ " " ^ Int.toString (count "be" * 10 + count "or") ^ "\n")
val found = reduceP (fn (SOME x, _) => SOME x | (NONE, y) => y) NONE [| if size w = 3 then SOME w else NONE | w in words |]
val () = print (valOf found ^ "\n")
