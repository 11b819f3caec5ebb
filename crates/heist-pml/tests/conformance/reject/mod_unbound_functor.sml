(* error: E0403 *)
structure S = MakeSet (struct type t = int end)
