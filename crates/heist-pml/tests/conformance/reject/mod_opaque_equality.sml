(* error: E0308 *)
structure Id :> sig type t val make : int -> t end = struct type t = int fun make n = n end
val same = Id.make 1 = Id.make 1
