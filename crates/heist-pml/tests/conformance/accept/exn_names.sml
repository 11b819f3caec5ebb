(* exnName and exnMessage of some exceptions. *)
exception MyOwn of int
exception Plain
val () = app (fn e => print (exnName e ^ "\n")) [MyOwn 3, Plain, Fail "x", Div, Overflow, Subscript, Size, Empty, Option, Chr, Match, Bind, Domain, Span]
val () = print (exnMessage Div ^ "\n")
