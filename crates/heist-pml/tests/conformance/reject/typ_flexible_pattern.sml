(* error: E0321 *)
fun name {name, ...} = name
