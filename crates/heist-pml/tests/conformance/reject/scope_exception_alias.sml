(* error: E0315 *)
exception Mine = Theirs
