(* Several where types, on nested structures and on parameters. *)
signature S = sig structure A : sig type t type 'a u end type v val f : A.t * v -> A.t A.u end
structure M :> S where type A.t = int where type 'a A.u = 'a list and type v = bool = struct
  structure A = struct type t = int type 'a u = 'a list end
  type v = bool
  fun f (n, b) = if b then [n, n] else []
end
val l : int list = M.f (4, true)
val () = print (Int.toString (length l + hd l) ^ "\n")
