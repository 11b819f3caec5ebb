(* Within its own declaration, a function has one type. After the declaration, it has many types. *)
fun fold f z [] = z | fold f z (x :: t) = f (x, fold f z t)
fun mapf f l = if null l then [] else apply f l
and apply f l = fold (fn (x, r) => f x :: r) (mapf f []) l
val a = mapf Int.toString [1, 2, 3]
val b = mapf size a
val c = fold op ^ "" a
fun loop n x = if n = 0 then x else loop (n - 1) x
val () = print (c ^ Int.toString (fold op + 0 b) ^ loop 3 "l" ^ Int.toString (loop 2 1) ^ "\n")
