(* A single prime is the name of a type variable, and two primes are the name of an equality type variable. *)
type ' box = ' list
type ('_, '1) pair = '_ * '1
fun member (x : '', l : '' box) = List.exists (fn y => x = y) l
val p : (int, string) pair = (1, "one")
val _ = print (#2 p ^ " " ^ Bool.toString (member (2, [1, 2])) ^ "\n")
