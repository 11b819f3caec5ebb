(* Members may stand in any order, and there may be more of them than asked for. *)
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
