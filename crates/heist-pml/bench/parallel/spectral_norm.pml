(* The power method on an infinite matrix, with the rows of each product in parallel. Argument: size (1200). *)

fun a (i, j) = 1.0 / real ((i + j) * (i + j + 1) div 2 + i + 1)

fun times (n, v) =
  let
    fun row i =
      let fun go (j, sum) = if j = n then sum else go (j + 1, sum + a (i, j) * subP (v, j))
      in go (0, 0.0)
      end
  in
    [| row i | i in [| 0 to n - 1 |] |]
  end

fun transposed (n, v) =
  let
    fun row i =
      let fun go (j, sum) = if j = n then sum else go (j + 1, sum + a (j, i) * subP (v, j))
      in go (0, 0.0)
      end
  in
    [| row i | i in [| 0 to n - 1 |] |]
  end

fun dot (u, v) = reduceP (op +) 0.0 [| x * y | x in u, y in v |]

fun main () =
  let
    val n = case CommandLine.arguments () of s :: _ => valOf (Int.fromString s) | [] => 1200
    fun go (0, u, v) = (u, v)
      | go (k, u, _) =
          let val v = transposed (n, times (n, u))
          in go (k - 1, transposed (n, times (n, v)), v)
          end
    val (u, v) = go (10, [| 1.0 | _ in [| 1 to n |] |], [| |])
  in
    print (Real.fmt (StringCvt.FIX (SOME 6)) (Math.sqrt (dot (u, v) / dot (v, v))) ^ "\n")
  end

val () = main ()
