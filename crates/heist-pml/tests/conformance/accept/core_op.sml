(* op in expressions, patterns and function clauses. *)
infix 5 ++
infixr 4 **
datatype e = op ++ of e * e | N of int
fun op ** (a, 0) = 1 | op ** (a, n) = a * (op ** (a, n - 1))
fun eval (a ++ b) = eval a + eval b
  | eval (N n) = n
fun count (op ++ (a, b)) = count a + count b | count (N _) = 1
val t = N 1 ++ N 2 ++ N (2 ** 2)
val () = print (Int.toString (eval t) ^ " " ^ Int.toString (count t) ^ "\n")
val op - = op +
val () = print (Int.toString (5 - 3) ^ "\n")
val () = print (Int.toString (foldl op * 1 [1, 2, 3, 4]) ^ "\n")
