(* A datatype with its own instances inside (no polymorphic recursion is used). *)
datatype 'a t = One of 'a | Two of ('a * 'a) t
fun head (One x) = SOME x | head (Two _) = NONE
fun peel (Two (One p)) = SOME p | peel _ = NONE
val a = Two (One (1, 2))
val b = Two (Two (One ((1, 2), (3, 4))))
val () = print (case (head a, peel a) of (NONE, SOME (x, y)) => Int.toString (x + y) ^ "\n" | _ => "?\n")
val () = print (case b of Two (Two (One ((_, x), (y, _)))) => Int.toString (x * y) ^ "\n" | _ => "?\n")
