(* error: E0303 *)
val x = 1 handle Div => "division"
