(* error: E0305 *)
datatype t = A | B
fun f (x : t) = case x of SOME _ => 1 | NONE => 2
