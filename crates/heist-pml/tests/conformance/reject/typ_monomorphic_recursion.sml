(* error: E0302 *)
fun depth x = if x = 0 then size (depth' "a") else 1
and depth' y = if depth y = 1 then y else y
