(* error: E0209 *)
structure A = struct
  signature S = sig val x : int end
  val x = 1
end
