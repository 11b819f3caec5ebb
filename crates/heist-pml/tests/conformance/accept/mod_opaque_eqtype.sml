(* eqtype keeps equality on an abstract type; so does a datatype. *)
signature ID = sig eqtype id val fresh : unit -> id val show : id -> string datatype kind = Even | Odd val kind : id -> kind end
structure Id :> ID = struct
  type id = int
  val next = ref 0
  fun fresh () = (next := !next + 1; !next)
  val show = Int.toString
  datatype kind = Even | Odd
  fun kind n = if n mod 2 = 0 then Even else Odd
end
val a = Id.fresh () val b = Id.fresh ()
fun name Id.Even = "even" | name Id.Odd = "odd"
val () = print (Bool.toString (a = b) ^ Bool.toString (a = a) ^ " " ^ name (Id.kind a) ^ name (Id.kind b) ^ " " ^ Bool.toString (Id.kind a = Id.Odd) ^ Id.show b ^ "\n")
