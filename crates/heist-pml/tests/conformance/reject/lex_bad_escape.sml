(* error: E0104 *)
val path = "C:\data\quit"
