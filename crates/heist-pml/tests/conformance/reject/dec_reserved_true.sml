(* error: E0332 *)
datatype logic = true | false | unknown
