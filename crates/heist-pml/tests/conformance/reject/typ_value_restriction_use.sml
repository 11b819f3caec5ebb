(* error: E0302 *)
val cell = ref []
val () = cell := [1]
val () = cell := ["one"]
