(* Curried functions, partial application, sections by fn and op. *)
fun add x y z = x + y + z : int
val add1 = add 1
val add12 = add1 2
fun flip f x y = f y x
fun compose fs = foldr (op o) (fn x => x) fs
val sub = fn x => fn y => x - y
val () = print (Int.toString (add12 3) ^ " " ^ Int.toString (flip sub 1 10) ^ "\n")
val () = print (Int.toString (compose [add1 1, fn x => x * 2, sub 100] 30) ^ "\n")
val pairs = map (fn x => (x, fn y => x * y)) [1, 2, 3]
val () = app (fn (x, f) => print (Int.toString (f 7 + x) ^ " ")) pairs
val () = print "\n"
fun curry f a b = f (a, b)
fun uncurry f (a, b) = f a b
val () = print (Int.toString (foldl (uncurry (curry (op +))) 0 [1, 2, 3]) ^ "\n")
