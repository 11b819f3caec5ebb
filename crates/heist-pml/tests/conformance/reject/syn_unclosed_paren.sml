(* error: E0202 *)
fun area (w, h = w * h
val a = 3
