(* Exceptions to leave loops, folds and comparisons early. *)
exception Return of int
fun indexOf p a = (Array.appi (fn (i, x) => if p x then raise Return i else ()) a; ~1) handle Return i => i
fun allPairs (l, m, p) = (app (fn x => app (fn y => if p (x, y) then () else raise Fail "") m) l; true) handle Fail _ => false
fun takeWhile p l = let exception Stop of int list in rev (foldl (fn (x, acc) => if p x then x :: acc else raise Stop acc) [] l handle Stop acc => acc) end
val a = Array.fromList [4, 8, 15, 16, 23, 42]
val () = print (Int.toString (indexOf (fn x => x > 15) a) ^ Int.toString (indexOf (fn x => x > 99) a) ^ Bool.toString (allPairs ([1, 2], [3, 4], op <)) ^ Bool.toString (allPairs ([1, 5], [3, 4], op <)) ^ String.concat (map Int.toString (takeWhile (fn x => x < 4) [1, 2, 3, 9, 1])) ^ "\n")
