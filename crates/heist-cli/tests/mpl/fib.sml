(* Forks above a grain. Below the grain, the recursion is serial. *)
fun fib n = if n < 2 then n else fib (n - 1) + fib (n - 2)
fun pfib grain n =
  if n <= grain then fib n
  else
    let val (a, b) = ForkJoin.par (fn () => pfib grain (n - 1), fn () => pfib grain (n - 2))
    in a + b
    end
val () = print (Int.toString (pfib 1 20) ^ " " ^ Int.toString (pfib 12 22) ^ "\n")
