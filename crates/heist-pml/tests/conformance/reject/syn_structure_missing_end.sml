(* error: E0202 *)
structure S = struct
  val x = 1
  fun f y = x + y
