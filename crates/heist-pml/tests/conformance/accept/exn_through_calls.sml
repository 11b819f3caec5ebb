(* Exceptions cross closures, library functions, and many frames. *)
exception Found of int
fun find p l = (app (fn x => if p x then raise Found x else ()) l; NONE) handle Found x => SOME x
fun deep 0 = raise Found 99 | deep n = 1 + deep (n - 1)
val a = find (fn x => x > 3) [1, 2, 3, 4, 5]
val b = find (fn x => x > 9) [1, 2, 3]
val c = deep 10000 handle Found n => n
val d = foldl (fn (x, s) => if x = 0 then raise Found s else s + x) 0 [1, 2, 3, 0, 5] handle Found s => s
fun product l = let exception Zero fun go [] = 1 | go (0 :: _) = raise Zero | go (x :: t) = x * go t in go l handle Zero => 0 end
val () = print (Int.toString (valOf a) ^ Bool.toString (isSome b) ^ " " ^ Int.toString c ^ " " ^ Int.toString d ^ " " ^ Int.toString (product [2, 3, 4]) ^ Int.toString (product [1, 0, 2]) ^ "\n")
