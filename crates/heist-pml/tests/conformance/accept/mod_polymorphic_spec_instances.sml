(* Values whose types in the signature are less general than in the structure. *)
structure Gen = struct fun map f l = foldr (fn (x, r) => f x :: r) [] l fun fold f b l = foldl f b l val empty = [] end
structure Ints : sig val map : (int -> int) -> int list -> int list val fold : (int * int -> int) -> int -> int list -> int val empty : int list end = Gen
structure Strs : sig val map : (string -> 'a) -> string list -> 'a list val empty : 'a list end = Gen
val () = print (Int.toString (Ints.fold op + 0 (Ints.map (fn x => x * x) (1 :: 2 :: Ints.empty)) + foldl op + 0 (Strs.map size ["abc", "d"]) + length (Strs.empty : bool list)) ^ "\n")
