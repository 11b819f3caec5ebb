(* The sequential twin of dmm.pml, after prelude.sml. *)

type vector = real parray
type matrix = vector parray

fun dotp (a : vector, b : vector) = reduceP (op +) 0.0 (map2P (op * ) (a, b))

fun column (m : matrix, j) : vector = mapP (fn row => subP (row, j)) m

fun transpose (m : matrix) : matrix =
  if lengthP m = 0 then m
  else mapP (fn j => column (m, j)) (range (0, lengthP (subP (m, 0)) - 1))

fun multiply (a : matrix, b : matrix) : matrix =
  let val columns = transpose b
  in mapP (fn row => mapP (fn column => dotp (row, column)) columns) a end

fun matrix (n, f) : matrix =
  mapP (fn i => mapP (fn j => f (i, j)) (range (0, n - 1))) (range (0, n - 1))

fun main () =
  let
    val n = case CommandLine.arguments () of s :: _ => valOf (Int.fromString s) | [] => 100
    val a = matrix (n, fn (i, j) => real ((i * 7 + j * 3) mod 11) / 4.0)
    val b = matrix (n, fn (i, j) => real ((i * 5 + j * 2) mod 13) / 8.0)
    val c = multiply (a, multiply (b, a))
    val trace = reduceP (op +) 0.0 (mapP (fn i => subP (subP (c, i), i)) (range (0, n - 1)))
    val total = reduceP (op +) 0.0 (mapP (reduceP (op +) 0.0) c)
  in
    print ("trace " ^ Real.fmt (StringCvt.FIX (SOME 4)) trace ^ ", total " ^ Real.fmt (StringCvt.FIX (SOME 4)) total ^ "\n")
  end

val () = main ()
