(* Type abbreviations in signatures. *)
signature GEOM = sig type point = int * int type 'a grid = 'a list list val origin : point val flatten : 'a grid -> 'a list type pair = point * point end
structure G :> GEOM = struct type point = int * int type 'a grid = 'a list list val origin = (0, 0) val flatten = List.concat type pair = point * point end
val (x, y) = G.origin
val p : G.pair = ((1, 2), G.origin)
val () = print (Int.toString (x + y + #2 (#1 p) + length (G.flatten [[1], [2, 3]])) ^ "\n")
