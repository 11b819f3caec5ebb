(* #label as a function, and records with many fields in any order. *)
type r = {zeta : int, alpha : string, mid : real, beta : bool, f : int -> int}
val x : r = {f = fn n => n * 2, beta = true, alpha = "a", zeta = 9, mid = 0.5}
val ys = [{k = 1, v = "one"}, {k = 2, v = "two"}]
val ks = map #k ys and vs = map #v ys
fun with_alpha ({zeta, mid, beta, f, ...} : r) a : r = {zeta = zeta, alpha = a, mid = mid, beta = beta, f = f}
val third : int * int * string -> string = #3
val () = print (Int.toString (#f x (#zeta x)) ^ #alpha (with_alpha x "b") ^ Real.toString (#mid x) ^ Bool.toString (#beta x) ^ concat vs ^ Int.toString (foldl op + 0 ks) ^ third (1, 2, "3") ^ #2 (#1 ((1, "deep"), 2)) ^ "\n")
