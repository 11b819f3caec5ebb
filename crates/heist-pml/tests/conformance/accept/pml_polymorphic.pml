(* Polymorphic functions over parallel arrays. *)
fun zipWith f (a, b) = [| f (x, y) | x in a, y in b |]
fun count p xs = lengthP (filterP p xs)
fun flatten xss = concatP (PArray.toList xss)
fun id x = x
val a = zipWith (fn (s, n) => s ^ Int.toString n) ([| "x", "y" |], [| 1, 2, 3 |])
val n = count (fn s => size s > 1) a + count id [| true, false, true |]
val f = flatten [| [| #"a" |], [| #"b", #"c" |] |]
val () = print (PArray.toString id "" a ^ Int.toString n ^ PArray.toString str "" f ^ "\n")
val fs = [| fn x => x + 1, fn x => x * 2 |]
val () = print (Int.toString ((fs ! 1) ((fs ! 0) 4)) ^ "\n")
