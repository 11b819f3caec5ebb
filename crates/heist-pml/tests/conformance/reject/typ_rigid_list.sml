(* error: E0304 *)
val 'a empty : 'a list = [1]
