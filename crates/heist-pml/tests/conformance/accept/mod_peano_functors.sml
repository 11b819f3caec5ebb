(* Numbers as structures, arithmetic by functors. *)
signature NAT = sig val toInt : int val fold : ('a -> 'a) -> 'a -> 'a end
structure Zero : NAT = struct val toInt = 0 fun fold _ z = z end
functor Succ (N : NAT) : NAT = struct val toInt = N.toInt + 1 fun fold s z = s (N.fold s z) end
functor Add (structure A : NAT structure B : NAT) : NAT = struct val toInt = A.toInt + B.toInt fun fold s z = A.fold s (B.fold s z) end
functor Mul (structure A : NAT structure B : NAT) : NAT = struct val toInt = A.toInt * B.toInt fun fold s z = A.fold (B.fold s) z end
structure One = Succ (Zero) structure Two = Succ (One) structure Three = Succ (Two)
structure Six = Mul (structure A = Two structure B = Three)
structure Nine = Add (structure A = Six structure B = Three)
val () = print (Int.toString Nine.toInt ^ " " ^ Int.toString (Nine.fold (fn n => n + 1) 0) ^ " " ^ Six.fold (fn s => s ^ "|") "" ^ "\n")
