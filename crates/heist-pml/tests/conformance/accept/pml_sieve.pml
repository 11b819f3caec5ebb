(* Primes by a filter of nested ranges. *)
fun prime n = lengthP [| d | d in [| 2 to n - 1 |] where n mod d = 0 |] = 0
val primes = [| n | n in [| 2 to 60 |] where prime n |]
val () = print (PArray.toString Int.toString " " primes ^ "\n")
val () = print (Int.toString (sumP primes) ^ "\n")
