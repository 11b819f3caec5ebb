(* Primes, underscores, symbols; names near reserved words. *)
val x' = 1 and x'' = 2 and a_b = 3 and A1_' = 4
val valx = 5 and ifx = 6 and end' = 7 and fn_ = 8
infix 6 <+> |> ##
fun a <+> b = a * 10 + b
fun a |> f = f a
fun a ## b = a - b
val $ = 100
val ==> = 1
val % = fn x => x mod 7
val () = print (Int.toString (x' <+> x'' <+> a_b <+> A1_') ^ "\n")
val () = print ([valx, ifx, end', fn_] |> map Int.toString |> String.concatWith "," )
val () = print ("\n" ^ Int.toString (% ($ ## ==>)) ^ "\n")
