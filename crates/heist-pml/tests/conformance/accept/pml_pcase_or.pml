(* pcase as a parallel or: one true is enough. *)
fun por (a, b) =
  pcase a () & b () of
    true & ? => true
  | ? & true => true
  | false & false => false
val t = fn () => true and f = fn () => false
val () = app (fn p => print (Bool.toString (por p) ^ " ")) [(t, t), (t, f), (f, t), (f, f)]
val () = print "\n"
