(* error: E0401 *)
val x = Lists.length [1]
