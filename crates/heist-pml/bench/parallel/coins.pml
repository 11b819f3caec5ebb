(* Counts the ways to pay a sum with coins: a recursion whose parts have very different sizes. Argument: the sum (1600). *)

fun pay (sum, coins) =
  if sum = 0 then
    1
  else
    case coins of
      [] => 0
    | coin :: rest =>
        if sum < coin then
          pay (sum, rest)
        else
          (op +) (| pay (sum - coin, coins), pay (sum, rest) |)

fun main () =
  let
    val sum = case CommandLine.arguments () of s :: _ => valOf (Int.fromString s) | [] => 1600
  in
    print (Int.toString (pay (sum, [250, 100, 50, 25, 10, 5, 2, 1])) ^ "\n")
  end

val () = main ()
