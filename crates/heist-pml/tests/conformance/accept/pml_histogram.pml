(* A histogram by folding parallel arrays, and a maximum with its place. *)
val data = [| (i * i + 3 * i) mod 7 | i in [| 0 to 29 |] |]
fun count k = lengthP [| x | x in data where x = k |]
val histogram = [| count k | k in [| 0 to 6 |] |]
val () = print (PArray.toString Int.toString " " histogram ^ "\n")
val (best, place) = reduceP (fn (a as (x, _), b as (y, _)) => if y > x then b else a) (~1, ~1) [| (h, k) | h in histogram, k in [| 0 to 6 |] |]
val () = print (Int.toString best ^ " at " ^ Int.toString place ^ "\n")
