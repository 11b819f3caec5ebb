(* Counts the points of the Mandelbrot set, with all rows in parallel. Argument: columns (1000). *)

val limit = 200

fun escapes (cr, ci) =
  let
    fun go (zr, zi, k) =
      let
        val r2 = zr * zr
        val i2 = zi * zi
      in
        if k = limit orelse r2 + i2 > 4.0 then
          k
        else
          go (r2 - i2 + cr, 2.0 * zr * zi + ci, k + 1)
      end
  in
    go (0.0, 0.0, 0)
  end

fun row (n, y) =
  let
    val ci = 2.4 * real y / real n - 1.2
    fun go (x, sum) =
      if x = n then sum else go (x + 1, sum + escapes (3.0 * real x / real n - 2.2, ci))
  in
    go (0, 0)
  end

fun main () =
  let
    val n = case CommandLine.arguments () of s :: _ => valOf (Int.fromString s) | [] => 1000
  in
    print (Int.toString (sumP [| row (n, y) | y in [| 0 to n - 1 |] |]) ^ " steps\n")
  end

val () = main ()
