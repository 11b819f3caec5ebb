(* error: E0201 *)
datatype t =
val x = 1
