(* Sums of arrays of increasing lengths: irregular nested parallelism. Argument: number of arrays (6000). *)

fun upTo i = range (0, i)

fun sum xs = reduceP (op +) 0 xs

fun main () =
  let
    val n = case CommandLine.arguments () of s :: _ => valOf (Int.fromString s) | [] => 6000
    val sums = mapP sum (mapP upTo (range (0, n - 1)))
  in
    print ("last " ^ Int.toString (subP (sums, n - 1)) ^ ", all " ^ Int.toString (sum sums) ^ "\n")
  end

val () = main ()
