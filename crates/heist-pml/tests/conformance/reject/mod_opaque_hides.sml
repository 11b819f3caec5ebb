(* error: E0302 *)
structure Counter :> sig type t val zero : t val next : t -> t end = struct type t = int val zero = 0 fun next n = n + 1 end
val x = Counter.next 5
