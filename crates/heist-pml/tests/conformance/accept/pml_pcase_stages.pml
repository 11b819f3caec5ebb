(* Later rules need not cover the cases of earlier rules, so the compiler does not warn. *)
fun f (a, b) =
  pcase a & b of
    SOME n & ? => n
  | ? & SOME n => 10 * n
  | NONE & NONE => 0
val () = print (String.concatWith " " (map Int.toString [f (SOME 1, NONE), f (NONE, SOME 2), f (NONE, NONE), f (SOME 3, SOME 4)]) ^ "\n")
