(* Several inner arrays raise exceptions: the exception at the leftmost outer position wins. *)
exception At of int * int
fun f (i, j) = if i * j = 6 then raise At (i, j) else i + j
fun try (n, m) = let val a = [| [| f (i, j) | j in [| 1 to m |] |] | i in [| 1 to n |] |] in Int.toString (sumP [| sumP r | r in a |]) end handle At (i, j) => Int.toString i ^ "/" ^ Int.toString j
val () = print (try (2, 2) ^ " " ^ try (6, 6) ^ " " ^ try (2, 9) ^ " " ^ try (9, 1) ^ "\n")
