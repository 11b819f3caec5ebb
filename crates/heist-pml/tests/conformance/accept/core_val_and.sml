(* `and` binds all names at the same time: the right sides see the old values. *)
val a = 1 and b = 2
val a = b and b = a
val () = print (Int.toString a ^ Int.toString b ^ "\n")
val (a, b) = (b, a) and [c, d] = [a * 10, b * 10]
val () = print (String.concatWith "," (map Int.toString [a, b, c, d]) ^ "\n")
fun f 0 = "zero" | f n = g (n - 1)
and g 0 = "one" | g n = f (n - 1)
val () = print (f 10 ^ " " ^ f 11 ^ " " ^ f 0 ^ "\n")
