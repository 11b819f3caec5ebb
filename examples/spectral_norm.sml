(* The spectral norm of an infinite matrix, by the power method. Argument: size (300). *)

fun a (i, j) = 1.0 / real ((i + j) * (i + j + 1) div 2 + i + 1)

fun times (f, v, result) =
  let
    val n = Array.length v
    fun row (i, j, sum) = if j = n then sum else row (i, j + 1, sum + f (i, j) * Array.sub (v, j))
    fun rows i = if i = n then () else (Array.update (result, i, row (i, 0, 0.0)); rows (i + 1))
  in
    rows 0
  end

fun timesA (v, result) = times (a, v, result)
fun timesAt (v, result) = times (fn (i, j) => a (j, i), v, result)

fun timesAtA (v, result, between) = (timesA (v, between); timesAt (between, result))

fun dot (u, v) =
  let
    val n = Array.length u
    fun go (i, sum) = if i = n then sum else go (i + 1, sum + Array.sub (u, i) * Array.sub (v, i))
  in
    go (0, 0.0)
  end

fun main () =
  let
    val n = case CommandLine.arguments () of s :: _ => valOf (Int.fromString s) | [] => 300
    val u = Array.array (n, 1.0)
    val v = Array.array (n, 0.0)
    val between = Array.array (n, 0.0)
    fun loop 0 = ()
      | loop k = (timesAtA (u, v, between); timesAtA (v, u, between); loop (k - 1))
  in
    loop 10;
    print (Real.fmt (StringCvt.FIX (SOME 9)) (Math.sqrt (dot (u, v) / dot (v, v))) ^ "\n")
  end

val () = main ()
