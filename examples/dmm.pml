(* Product of two dense matrices, which are parallel arrays of rows. Argument: rows and columns (100). *)

type vector = real parray
type matrix = vector parray

fun dotp (a : vector, b : vector) = reduceP (op +) 0.0 [| x * y | x in a,   y in b |]

fun column (m : matrix, j) : vector = [| row ! j | row in m |]

fun transpose (m : matrix) : matrix =
  if lengthP m = 0 then
    m
  else
    [| column (m, j) | j in [| 0 to lengthP (m ! 0) - 1 |] |]

fun multiply (a : matrix, b : matrix) : matrix =
  let
    val columns = transpose b
  in
    [| [| dotp (row, column) | column in columns |] | row in a |]
  end

fun matrix (n, f) : matrix = [| [| f (i, j) | j in [| 0 to n - 1 |] |] | i in [| 0 to n - 1 |] |]

fun main () =
  let
    val n = case CommandLine.arguments () of s :: _ => valOf (Int.fromString s) | [] => 100
    val a = matrix (n, fn (i, j) => real ((i * 7 + j * 3) mod 11) / 4.0)
    val b = matrix (n, fn (i, j) => real ((i * 5 + j * 2) mod 13) / 8.0)
    val c = multiply (a, multiply (b, a))
    val trace = reduceP (op +) 0.0 [| (c ! i) ! i | i in [| 0 to n - 1 |] |]
    val total = reduceP (op +) 0.0 [| reduceP (op +) 0.0 row | row in c |]
  in
    print
      ("trace " ^ Real.fmt (StringCvt.FIX (SOME 4)) trace ^ ", total "
         ^ Real.fmt (StringCvt.FIX (SOME 4)) total ^ "\n")
  end

val () = main ()
