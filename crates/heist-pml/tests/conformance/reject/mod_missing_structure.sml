(* error: E0404 *)
signature S = sig structure Inner : sig val x : int end end
structure A :> S = struct structure Other = struct val x = 1 end end
