(* Loops that pass on an exception with a known constructor, and match other constructors, with and without arguments. *)
exception A
exception B of int
fun f (0, e) = (case e of A => 1 | B n => n | _ => 2)
  | f (n, e) = f (n - 1, e)
exception R of real
exception S of string
exception I of int
exception P of int * real
fun g (0, e) = (case e of R _ => 1 | S n => size n | I n => n | P (n, r) => n + floor r | _ => 2)
  | g (n, e) = g (n - 1, e)
fun h (0, e) = (case e of R r => floor r | S s => size s | I n => n | _ => 2)
  | h (n, e) = h (n - 1, e)
fun k (0, e) = (case e of R r => floor r | S s => size s | I n => n | _ => 2)
  | k (n, e) = k (n - 1, e)
fun m (0, e) = (case e of R r => floor r | I n => n | _ => 2)
  | m (n, e) = if n = 2 then m (n - 1, I n) else m (n - 1, e)
val () = print (String.concatWith " " (List.map Int.toString
  [f (3, A), g (3, R (valOf (Real.fromString "1.5"))), h (3, I (length (CommandLine.arguments ()))), k (3, S (Int.toString 77)),
   m (3, R (valOf (Real.fromString "9.5"))), m (1, R (valOf (Real.fromString "9.5")))]) ^ "\n")
