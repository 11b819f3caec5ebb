(* Polymorphic rose trees and forests. *)
datatype 'a rose = Rose of 'a * 'a forest and 'a forest = Nil | Cons of 'a rose * 'a forest
fun mapR f (Rose (x, k)) = Rose (f x, mapF f k) and mapF f Nil = Nil | mapF f (Cons (t, k)) = Cons (mapR f t, mapF f k)
fun flatR (Rose (x, k)) = x :: flatF k and flatF Nil = [] | flatF (Cons (t, k)) = flatR t @ flatF k
fun build 0 = Rose (0, Nil) | build n = Rose (n, Cons (build (n - 1), if n > 2 then Cons (build (n - 2), Nil) else Nil))
val t = build 6
val () = print (Int.toString (length (flatR t)) ^ " " ^ String.concat (flatR (mapR Int.toString t)) ^ "\n")
