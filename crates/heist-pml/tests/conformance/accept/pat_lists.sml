(* List patterns of fixed and of any length. *)
fun shape [] = "empty"
  | shape [_] = "one"
  | shape [_, _] = "two"
  | shape (_ :: _ :: _ :: []) = "three"
  | shape (a :: b :: rest) = "many " ^ Int.toString (length rest)
fun pairs (x :: y :: t) = (x, y) :: pairs t | pairs _ = []
fun unzip3 [] = ([], [], [])
  | unzip3 ((a, b, c) :: t) = let val (x, y, z) = unzip3 t in (a :: x, b :: y, c :: z) end
val () = app (fn l => print (shape l ^ "; ")) [[], [1], [1, 2], [1, 2, 3], [1, 2, 3, 4]]
val () = app (fn (a, b) => print (a ^ b ^ " ")) (pairs ["a", "b", "c", "d", "e"])
val (xs, ys, zs) = unzip3 [(1, "p", #"q"), (2, "r", #"s")]
val () = print (Int.toString (foldl op + 0 xs) ^ concat ys ^ implode zs ^ "\n")
fun last [x] = x | last (_ :: t) = last t | last [] = raise Empty
val () = print (last ["x", "y", "z\n"])
