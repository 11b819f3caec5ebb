(* where type that makes two structures of a functor's result agree. *)
signature T = sig type t val v : t end
signature PAIR = sig structure A : T structure B : T val both : A.t * B.t end
functor Pair (structure X : T structure Y : T) : PAIR where type A.t = X.t where type B.t = Y.t = struct structure A = X structure B = Y val both = (A.v, B.v) end
structure P = Pair (structure X = struct type t = int val v = 1 end structure Y = struct type t = string val v = "y" end)
structure Q = Pair (structure X = P.B structure Y = P.A)
val (n, s) = P.both val (s', n') = Q.both
val () = print (Int.toString (n + n') ^ s ^ s' ^ "\n")
