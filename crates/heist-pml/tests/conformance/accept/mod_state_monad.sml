(* A state monad as a functor, used for labelling a tree and for random numbers. *)
functor State (type state) = struct
  type 'a m = state -> 'a * state
  fun return x = fn s => (x, s)
  infix 1 >>=
  fun (m >>= f) s = let val (x, s') = m s in f x s' end
  fun get s = (s, s)
  fun put s _ = ((), s)
  fun mapM f [] = return [] | mapM f (x :: xs) = f x >>= (fn y => mapM f xs >>= (fn ys => return (y :: ys)))
end
structure S = State (type state = int)
infix 1 >>=
val op >>= = S.>>=
datatype 'a tree = Leaf of 'a | Node of 'a tree list
val fresh : int S.m = S.get >>= (fn n => S.put (n + 1) >>= (fn () => S.return n))
fun label (Leaf x) = fresh >>= (fn n => S.return (Leaf (n, x))) | label (Node ts) = S.mapM label ts >>= (fn us => S.return (Node us))
fun show (Leaf (n, x)) = Int.toString n ^ x | show (Node ts) = "(" ^ String.concatWith " " (map show ts) ^ ")"
val (t, n) = label (Node [Leaf "a", Node [Leaf "b", Leaf "c"], Leaf "d"]) 10
val () = print (show t ^ " " ^ Int.toString n ^ "\n")
