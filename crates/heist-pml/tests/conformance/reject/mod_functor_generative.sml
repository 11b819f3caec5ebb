(* error: E0302 *)
functor Id () :> sig type t val new : unit -> t val eq : t * t -> bool end = struct type t = int ref fun new () = ref 0 fun eq (a, b) = a = b end
structure A = Id ()
structure B = Id ()
val x = A.eq (A.new (), B.new ())
