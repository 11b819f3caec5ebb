(* error: E0314 *)
datatype box = Box of 'a
