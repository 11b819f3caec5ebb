(* error: E0312 *)
datatype t = A of int
fun f (A n) = n | f (B n) = n
