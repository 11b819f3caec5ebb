(* Stores young objects in an old array, by stores and swaps in turn. Both orders occur. *)
val n = 40000
val cells : int list array = Array.array (n, nil)
fun store i = Array.update (cells, i, [i, i + 1])
fun swap i = ignore (Concurrency.casArray (cells, i) (Array.sub (cells, i), [i, i + 1]))
fun both (first, second) (lo, hi) =
  if lo >= hi then () else (first lo; second (lo + 1); both (first, second) (lo + 2, hi))
val () = both (store, swap) (0, n div 2)
val () = both (swap, store) (n div 2, n)
fun sum (l, (count, total)) = (count + 1, List.foldl op+ total l)
val (count, total) = Array.foldl sum (0, 0) cells
val () = print (Int.toString count ^ " " ^ Int.toString total ^ "\n")
