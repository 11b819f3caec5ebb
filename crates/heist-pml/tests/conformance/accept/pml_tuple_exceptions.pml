(* A parallel tuple raises the leftmost of its exceptions. *)
exception A of int
fun f n = if n > 2 then raise A n else n
fun try (a, b, c) = (let val (x, y, z) = (| f a, f b, f c |) in Int.toString (x + y + z) end) handle A n => "A" ^ Int.toString n | Div => "Div"
val () = app (fn t => print (try t ^ " ")) [(0, 1, 2), (1, 5, 4), (3, 9, 7), (0, 0, 8)]
val n = ((| 1 div 0, f 7 |); 0) handle Div => 1 | A _ => 2
val m = #1 (| 5, f 9 |) handle A n => n
val () = print (Int.toString n ^ Int.toString m ^ "\n")
