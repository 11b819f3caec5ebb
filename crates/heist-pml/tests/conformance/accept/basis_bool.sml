(* The structure Bool, and not. *)
val () = print (String.concatWith " " (map Bool.toString [not true, not false, Bool.not true]) ^ "\n")
fun opt (SOME b) = Bool.toString b | opt NONE = "-"
val () = print (String.concatWith " " (map (opt o Bool.fromString) ["true", "TRUE", " false", "tru", "truefalse", ""]) ^ "\n")
