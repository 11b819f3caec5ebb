(* A structure may have its members in any order, and more members than the signature requires. *)
signature S = sig val c : string val a : int type t val b : t end
structure M : S = struct
  val extra = 99
  val b = true
  type t = bool
  val a = extra + 1
  fun helper x = x
  val c = helper "c"
end
val () = print (Int.toString M.a ^ Bool.toString M.b ^ M.c ^ "\n")
