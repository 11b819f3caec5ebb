(* Layered patterns, also with types. *)
fun dups (x :: (rest as y :: _)) = if x = y then x :: dups rest else dups rest
  | dups _ = []
fun f (all as (a as (x, y), b as z : int)) = (all, a, b, x + y + z)
val ((p, q), (r, s), t, u) = f ((1, 2), 3)
val () = print (String.concatWith "," (map Int.toString (dups [1, 1, 2, 3, 3, 3])) ^ "\n")
val () = print (String.concatWith "," (map Int.toString [q, r, s, t, u]) ^ "\n")
fun g {name as "root", id as n} = name ^ Int.toString (n + id)
  | g {name : string as other, id = 0} = other ^ "!"
  | g {name, ...} = name
val () = app (fn r => print (g r ^ " ")) [{name = "root", id = 2}, {name = "x", id = 0}, {name = "y", id = 1}]
val all as [one, two] = [10, 20]
val () = print (Int.toString (length all + one + two) ^ "\n")
