(* error: E0311 *)
val l = List.mapp (fn x => x) [1]
