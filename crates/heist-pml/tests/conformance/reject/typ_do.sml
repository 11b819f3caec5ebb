(* error: E0305 *)
do 1 + 1
