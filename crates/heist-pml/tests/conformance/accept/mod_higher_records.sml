(* Records of functions made from structures; functors that take functions. *)
functor Compose (val f : int -> int val g : int -> int) = struct fun run x = f (g x) val both = {f = f, g = g} end
structure C = Compose (fun f x = x + 1 fun g x = x * 2)
structure D = Compose (val f = C.run val g = #f C.both)
val () = print (Int.toString (C.run 10) ^ " " ^ Int.toString (D.run 10) ^ "\n")
