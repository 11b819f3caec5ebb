(* error: E0309 *)
fun ('a, 'b) same (x : 'a, y : 'b) = if true then x else y
