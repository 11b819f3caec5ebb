(* error: E0105 *)
val nothing = #""
