(* error: E0201 *)
fun warn x = if x > 10 then print "big\n"
val () = warn 11
