(* error: E0309 *)
val 'a empty : 'a list = [1]
