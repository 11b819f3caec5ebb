(* error: E0105 *)
val initials = #"ab"
