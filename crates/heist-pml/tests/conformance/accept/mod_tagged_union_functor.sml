(* A sum of two structures with one interface, and dispatch between them. *)
signature SHAPE = sig type t val area : t -> int val name : string end
functor Either (structure L : SHAPE structure R : SHAPE) : sig datatype t = Left of L.t | Right of R.t val area : t -> int val name : string end = struct
  datatype t = Left of L.t | Right of R.t
  fun area (Left l) = L.area l | area (Right r) = R.area r
  val name = L.name ^ "+" ^ R.name
end
structure Sq = struct type t = int fun area n = n * n val name = "square" end
structure Re = struct type t = int * int fun area (a, b) = a * b val name = "rect" end
structure E1 = Either (structure L = Sq structure R = Re)
structure E2 = Either (structure L = E1 structure R = Sq)
val shapes = [E2.Left (E1.Left 3), E2.Left (E1.Right (2, 5)), E2.Right 4]
val () = print (E2.name ^ " " ^ String.concatWith "," (map (Int.toString o E2.area) shapes) ^ "\n")
