(* Matrices as arrays of arrays: product, transpose, identity. *)
type matrix = int parray parray
fun rows (m : matrix) = lengthP m
fun transpose (m : matrix) : matrix = [| [| (m ! i) ! j | i in [| 0 to rows m - 1 |] |] | j in [| 0 to lengthP (m ! 0) - 1 |] |]
fun mul (a : matrix, b : matrix) : matrix =
  let val t = transpose b in [| [| sumP [| x * y | x in row, y in col |] | col in t |] | row in a |] end
fun show (m : matrix) = print (PArray.toString (fn r => PArray.toString Int.toString " " r) " / " m ^ "\n")
val a = [| [| 1, 2, 3 |], [| 4, 5, 6 |] |]
val () = show (transpose a)
val () = show (mul (a, transpose a))
