(* error: E0307 *)
fun nest l = l :: l
