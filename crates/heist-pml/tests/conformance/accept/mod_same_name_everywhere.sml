(* One name for a type, value, constructor, structure, signature and functor. *)
signature x = sig val x : int end
structure x = struct datatype x = x of int val y = x 3 end
functor x (x : x) = struct val x = x.x + 1 end
structure z = x (val x = 10)
type x = int
val x : x = 5
val () = print (Int.toString (z.x + x + (case x.y of x.x n => n)) ^ "\n")
