(* Merge sort on lists, with the halves in a parallel tuple; a pcase takes the faster of two searches. *)
fun split [] = ([], []) | split [x] = ([x], []) | split (x :: y :: r) = let val (a, b) = split r in (x :: a, y :: b) end
fun merge ([], b) = b | merge (a, []) = a | merge (a as x :: s, b as y :: t) = if x <= y then x :: merge (s, b) else y :: merge (a, t)
fun sort [] = [] | sort [x] = [x] | sort l = let val (a, b) = split l in merge (| sort a, sort b |) end
fun search (p, l) = List.find p l
fun either (p, q, l) =
  pcase search (p, l) & search (q, l) of
    SOME x & ? => "first " ^ Int.toString x
  | NONE & SOME y => "second " ^ Int.toString y
  | otherwise => "none"
val l = sort [5, 2, 9, 1, 7, 3]
val () = print (String.concatWith " " (map Int.toString l) ^ ", " ^ either (fn x => x > 6, fn x => x < 2, l) ^ ", " ^ either (fn x => x > 60, fn x => x < 2, l) ^ ", " ^ either (fn x => x > 60, fn x => x < 0, l) ^ "\n")
