(* The type variables of a declaration in which some expressions are not values. *)
val 'a id = fn x : 'a => x
and x = let exception E of 'a in 1 end
val 'a y = let exception E of 'a in 2 end
val 'a (f : int -> int, _) = (fn x => x, let exception E of 'a in E end)
val z = let exception E of 'a in 3 end
val 'a k = fn (a : 'a, _) => a and n = let val r : 'a list ref = ref nil in length (! r) end
val () = print (String.concatWith " " (map Int.toString [id x, y, f z, k (n, id "s")]) ^ "\n")
