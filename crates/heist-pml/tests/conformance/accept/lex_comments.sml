(* Comments nest, may hold quotes, and separate tokens. *)
val a = 1(* one (* two (* three *) *) "not a string *)
val b = 2 (**) + (*)*) 3
(* a lone quote ' and " are fine *)
val () = print (Int.toString(*x*)a ^ (* *) " " ^ Int.toString b ^ "\n")
val () = print "(* inside a string *)\n"
