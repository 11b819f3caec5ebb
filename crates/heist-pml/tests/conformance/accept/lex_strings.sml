(* Escapes of strings. *)
fun codes s = String.concatWith " " (map (Int.toString o ord) (explode s))
val () = print (codes "\a\b\t\n\v\f\r" ^ "\n")
val () = print (codes "\^@\^A\^Z\^[\^_" ^ "\n")
val () = print (codes "\065\066\255\000" ^ "\n")
val () = print (codes "\"\\" ^ "\n")
val () = print "one \
               \line, \
  \three pieces\n"
val () = print (Int.toString (size "\   \") ^ "\n")
val () = print (codes "\u0041\u00e9" ^ "\n")
