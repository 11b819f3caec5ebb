(* error: E0302 *)
fun double (n : int) = n * 2
val x = double "two"
