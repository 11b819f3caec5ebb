(* error: E0302 *)
fun double x = x + x;
val y = double 2.0
