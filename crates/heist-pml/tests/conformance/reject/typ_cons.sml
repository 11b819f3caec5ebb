(* error: E0302 *)
val l = "head" :: [1, 2, 3]
