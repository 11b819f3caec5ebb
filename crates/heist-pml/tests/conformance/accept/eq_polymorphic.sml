(* Equality type variables: functions for any type that has equality. *)
fun member (x : ''a) l = List.exists (fn y => x = y) l
fun remove x = List.filter (fn y => x <> y)
fun nub [] = [] | nub (x :: t) = x :: nub (remove x t)
fun assoc [] _ = NONE | assoc ((k, v) :: t) x = if x = k then SOME v else assoc t x
datatype 'a box = Box of 'a | Empty
val () = print (String.concatWith "," (map Int.toString (nub [1, 2, 1, 3, 2])) ^ "\n")
val () = print (Bool.toString (member (Box "x") [Empty, Box "x"]) ^ Bool.toString (member [SOME 1] [[NONE]]) ^ "\n")
val () = print (valOf (assoc [((1, #"a"), "one a"), ((1, #"b"), "one b")] (1, #"b")) ^ "\n")
fun subset (a : ''x list, b) = List.all (fn x => member x b) a
val () = print (Bool.toString (subset ([(), ()], [()])) ^ "\n")
