(* Figure 2.1 of the thesis. *)
datatype tree
  = Lf of int
  | Nd of tree * tree

fun trProd (Lf i) = i
  | trProd (Nd (tL, tR)) =
    (op * ) (| trProd tL, trProd tR |)

val t = Nd (Nd (Lf 2, Lf 3), Nd (Lf 7, Nd (Lf 1, Lf 5)))
val () = print (Int.toString (trProd t) ^ "\n")
