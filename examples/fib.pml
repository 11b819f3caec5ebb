(* The naive Fibonacci function, with one parallel pair per call and no other work. Argument: n (29). *)

fun fib n =
  case n of
      0 => 0
    | 1 => 1
    | _ => op + (| fib (n - 1), fib (n - 2) |)

fun main () =
  let
    val n = case CommandLine.arguments () of s :: _ => valOf (Int.fromString s) | [] => 29
  in
    print ("fib " ^ Int.toString n ^ " = " ^ Int.toString (fib n) ^ "\n")
  end

val () = main ()
