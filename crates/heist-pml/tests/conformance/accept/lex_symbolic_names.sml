(* All symbol characters in names, and symbols that only look reserved. *)
infix 5 <=> &&& @@ ~~ ^^^ ?? ||
fun a <=> b = a - b
fun a &&& b = a * b
fun a @@ b = a + b
fun a ~~ b = a - b - 1
fun a ^^^ b = a * 10 + b
fun a ?? b = if a > b then a else b
fun a || b = a div b
val ! = fn x => x + 1000
val ::: = 5
val () = print (String.concatWith " " (map Int.toString [9 <=> 4, 3 &&& 4, 1 @@ 2, 9 ~~ 3, 1 ^^^ 2, 3 ?? 8, 9 || 2, ! 1, :::]) ^ "\n")
