(* Deep patterns over several datatypes. *)
datatype shape = Circle of real | Rect of {w : int, h : int} | Group of shape list
datatype color = Red | Green | Custom of int * int * int
fun describe (SOME (Rect {w, h}), [Red, Custom (r, _, 0)]) = "rect " ^ Int.toString (w * h + r)
  | describe (SOME (Group [Rect {w = 1, ...}, _]), _ :: _) = "thin group"
  | describe (SOME (Group (_ :: Group [] :: _)), []) = "nested empty"
  | describe (NONE, Green :: rest) = "none, green and " ^ Int.toString (length rest)
  | describe (_, []) = "no colours"
  | describe _ = "other"
val () = app (fn p => print (describe p ^ "\n"))
  [(SOME (Rect {h = 2, w = 3}), [Red, Custom (9, 8, 0)]),
   (SOME (Rect {h = 2, w = 3}), [Red, Custom (9, 8, 1)]),
   (SOME (Group [Rect {w = 1, h = 5}, Circle 1.0]), [Green]),
   (SOME (Group [Circle 0.0, Group [], Circle 0.0]), []),
   (NONE, [Green, Red, Red]), (NONE, [])]
