(* error: E0325 *)
fun f 0 = 0 | f n = g n
and g n = n
and f m = m
