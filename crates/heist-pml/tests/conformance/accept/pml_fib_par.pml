(* The program of figure 2.6 of the thesis. *)
fun fib n =
  (case n
   of 0 => 0
      | 1 => 1
      | n => (op +) (| fib (n-1), fib (n-2) |))
val x = fib 20
val () = print (Int.toString x ^ "\n")
