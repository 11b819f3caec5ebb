(* Rows of Pascal's triangle. Each row zips the previous row with itself. *)
fun next row = concatP [[| 1 |], [| a + b | a in row, b in PArray.fromList (tl (PArray.toList row)) |], [| 1 |]]
fun rows (0, _) = () | rows (k, row) = (print (PArray.toString Int.toString " " row ^ "\n"); rows (k - 1, next row))
val () = rows (6, [| 1 |])
