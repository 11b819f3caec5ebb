(* A polymorphic value may match a less general value of the signature. *)
signature S = sig val id : int -> int val pair : 'a -> 'a * 'a val none : string option val cons : int * int list -> int list end
structure M : S = struct
  fun id x = x
  fun pair x = (x, x)
  val none = NONE
  val cons = op ::
end
val (a, b) = M.pair "p"
val () = print (a ^ b ^ Int.toString (M.id 3 + hd (M.cons (4, []))) ^ getOpt (M.none, "none") ^ "\n")
