(* error: E0305 *)
datatype t = A of int | B of string
fun f (A x | B x) = x
