(* error: E0311 *)
local val secret = 1 in val open_ = secret end
val y = secret
