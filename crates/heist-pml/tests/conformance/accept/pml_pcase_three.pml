(* Three expressions; the pcase takes the first available value. *)
fun pick (a, b, c) =
  pcase a & b & c of
    SOME x & ? & ? => "a" ^ Int.toString x
  | ? & SOME x & ? => "b" ^ Int.toString x
  | ? & ? & SOME x => "c" ^ Int.toString x
  | NONE & NONE & NONE => "none"
val () = app (fn t => print (pick t ^ " "))
  [(SOME 1, SOME 2, SOME 3), (NONE, SOME 2, NONE), (NONE, NONE, SOME 3), (NONE, NONE, NONE)]
val () = print "\n"
