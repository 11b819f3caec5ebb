(* Type parameters that no constructor uses, and constructors as functions. *)
datatype ('unit, 'num) quantity = Q of 'num
datatype metre = Metre
datatype second = Second
fun add (Q a : ('u, int) quantity, Q b : ('u, int) quantity) : ('u, int) quantity = Q (a + b)
val d : (metre, int) quantity = Q 3
val e : (metre, int) quantity = Q 4
val t : (second, int) quantity = Q 5
val Q total = add (d, e)
val Q time = add (t, t)
val wrapped = map SOME [1, 2]
val pairs = ListPair.map (op ::) ([1, 2], [[3], []])
val () = print (Int.toString (total + time + length wrapped + length (List.concat pairs)) ^ "\n")
