(* Opaque structures within opaque structures. *)
signature INNER = sig type t val make : int -> t val value : t -> int end
structure Outer :> sig structure A : INNER structure B : INNER val convert : A.t -> B.t end = struct
  structure A = struct type t = int fun make n = n fun value n = n end
  structure B :> INNER where type t = int * int = struct type t = int * int fun make n = (n, n) fun value (a, b) = a + b end
  fun convert n = (n, 1)
end
val () = print (Int.toString (Outer.B.value (Outer.convert (Outer.A.make 41))) ^ " " ^ Int.toString (Outer.B.value (Outer.B.make 4)) ^ "\n")
