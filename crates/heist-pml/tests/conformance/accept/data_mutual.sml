(* Mutually recursive datatypes with withtype. *)
datatype exp = Int of int | Let of decs * exp | Id of string | Call of string * exp list
and dec = Val of string * exp | Fun of clause
withtype decs = dec list
and clause = string * string list * exp
fun size (Int _) = 1
  | size (Id _) = 1
  | size (Call (_, es)) = 1 + sum (map size es)
  | size (Let (ds, e)) = 1 + sum (map dsize ds) + size e
and dsize (Val (_, e)) = 1 + size e
  | dsize (Fun (_, ps, e)) = length ps + size e
and sum l = foldl op + 0 l
val program = Let ([Val ("x", Int 1), Fun ("f", ["a", "b"], Call ("plus", [Id "a", Id "b"]))], Call ("f", [Id "x", Int 2]))
val () = print (Int.toString (size program) ^ "\n")
