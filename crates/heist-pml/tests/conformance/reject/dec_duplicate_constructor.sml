(* error: E0326 *)
datatype colour = Red | Green | Red
