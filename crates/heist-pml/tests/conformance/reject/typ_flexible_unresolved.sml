(* error: E0321 *)
fun first r = #first r
