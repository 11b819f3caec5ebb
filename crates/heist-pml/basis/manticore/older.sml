(* For programs from the time when operations on lists took their arguments as tuples, too. *)

fun map (f, l) = List.map f l
fun app (f, l) = List.app f l
fun filter (f, l) = List.filter f l
fun foldl (f, a, l) = List.foldl f a l
fun foldr (f, a, l) = List.foldr f a l
fun concatWith (between, l) = String.concatWith between l
