(* An exception that carries an abstract value out of a structure and back. *)
structure Token :> sig type t exception Signal of t val send : int -> 'a val receive : t -> int end = struct
  type t = int ref
  exception Signal of t
  fun send n = raise Signal (ref n)
  fun receive r = !r
end
val n = Token.send 12 handle Token.Signal t => Token.receive t
val s = (Token.send 5 : string) handle Token.Signal t => Int.toString (Token.receive t)
val () = print (Int.toString n ^ s ^ "\n")
