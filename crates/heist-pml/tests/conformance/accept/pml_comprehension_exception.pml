(* The exception of the first element that raises wins. *)
exception E of int
fun f x = if x mod 3 = 0 then raise E x else x
val n = (PArray.length [| f x | x in [| 1 to 20 |] |]) handle E n => ~n
val m = (PArray.length [| f x | x in [| 20 to 1 by ~1 |] |]) handle E n => ~n
val k = PArray.length (mapP f [| x | x in [| 1 to 20 |] where x mod 3 > 0 |])
val () = print (Int.toString n ^ " " ^ Int.toString m ^ " " ^ Int.toString k ^ "\n")
