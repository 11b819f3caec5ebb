(* Explicit type variables, which are bound at the right declaration. *)
fun 'a id (x : 'a) = x
val 'a list : 'a list = []
fun ('a, 'b) swap (x : 'a, y : 'b) : 'b * 'a = (y, x)
fun outer (x : 'a) = let fun inner (y : 'a) = [x, y] in inner x end
val 'a k = fn (x : 'a) => fn _ => x
fun eq (x : ''a, y : ''a) = x = y
val 'a rec len : 'a list -> int = fn [] => 0 | _ :: t => 1 + len t
fun f x = let val 'b g = fn (y : 'b) => y in (g x, g 1) end
val (s, n) = f "x"
val () = print (Int.toString (id 1 + len (outer 3) + k 4 "x" + n) ^ #1 (swap (1, "a")) ^ s ^ Bool.toString (eq (1, 1)) ^ "\n")
val () = print (Int.toString (length (1 :: list) + length ("x" :: list)) ^ "\n")
