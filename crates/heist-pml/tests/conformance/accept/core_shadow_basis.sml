(* Programs may rebind the names of the Basis. *)
fun map f = fn [] => [] | x :: t => f x :: map f t
fun length l = foldl (fn (_, n) => n + 100) 0 l
val print' = print
fun print s = print' ("<" ^ s ^ ">")
infix 6 +
fun a + b = Int.- (a, b)
structure List = struct fun rev l = l val nth = 0 end
val () = print (Int.toString (10 + 3))
val () = print (Int.toString (length (map (fn x => x) [1, 2])))
val () = print (String.concat (List.rev ["a", "b"]))
val () = print' "\n"
