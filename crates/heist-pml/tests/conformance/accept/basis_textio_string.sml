(* Streams over strings. *)
val s = TextIO.openString "one two\nthree"
val a = TextIO.inputLine s
val b = TextIO.input1 s
val c = TextIO.inputAll s
val () = print (valOf a ^ str (valOf b) ^ "," ^ c ^ "," ^ Bool.toString (TextIO.endOfStream s) ^ "\n")
