(* Patterns in val declarations, and Bind when they fail. *)
val (a, [b, c], {d, e = SOME f}) = (1, [2, 3], {d = 4, e = SOME 5})
val _ = print "wild\n"
val () = ()
val x :: _ = [7, 8]
val SOME y = SOME "y" and "lit" = "lit"
fun try l = let val h :: _ = l in h end handle Bind => ~1
fun one n = let val 1 = n in "one" end handle Bind => "not one"
val () = print (String.concatWith " " (map Int.toString [a, b, c, d, f, x, try [3], try []]) ^ y ^ one 1 ^ one 2 ^ "\n")
