(* Folds that build functions, functions that return functions, and a little pipeline. *)
infix 1 |>
fun x |> f = f x
fun repeat 0 f = (fn x => x) | repeat n f = f o repeat (n - 1) f
fun foldMap unit times f = foldl (fn (x, a) => times (a, f x)) unit
val reverse = fn l => foldr (fn (x, k) => fn acc => k (x :: acc)) (fn acc => acc) l []
fun converge f x = let val y = f x in if x = y then x else converge f y end
fun zipWith3 f (a :: s, b :: t, c :: u) = f a b c :: zipWith3 f (s, t, u) | zipWith3 _ _ = []
val n = [1, 2, 3, 4] |> List.filter (fn x => x mod 2 = 0) |> map (fn x => x * x) |> foldl op + 0
val () = print (Int.toString n ^ " " ^ Int.toString (repeat 10 (fn x => x * 2) 1) ^ " " ^ foldMap "" op ^ Int.toString [1, 2, 3] ^ " " ^ concat (reverse ["a", "b", "c"]) ^ " " ^ Int.toString (converge (fn x => x div 2 + 3) 1000) ^ " " ^ String.concatWith "," (map Int.toString (zipWith3 (fn a => fn b => fn c => a + b * c) ([1, 2], [3, 4], [5, 6]))) ^ "\n")
