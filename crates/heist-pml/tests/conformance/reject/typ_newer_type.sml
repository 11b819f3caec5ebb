(* error: E0310 *)
val cell = ref NONE
datatype colour = RED | GREEN
val () = cell := SOME RED
