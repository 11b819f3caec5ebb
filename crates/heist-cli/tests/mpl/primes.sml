(* A sieve by primes up to the root. The first strand that finds a prime claims it. *)
fun primes n =
  if n < 2 then ForkJoin.alloc 0
  else
    let
      val roots = primes (Real.floor (Math.sqrt (Real.fromInt n)))
      val flags = ForkJoin.alloc (n + 1) : Word8.word array
      val () = ForkJoin.parfor 1000 (0, n + 1) (fn i => Array.update (flags, i, 0w1))
      val () =
        ForkJoin.parfor 1 (0, Array.length roots) (fn k =>
          let val p = Array.sub (roots, k)
          in ForkJoin.parfor 512 (2, n div p + 1) (fn j => Array.update (flags, j * p, 0w0))
          end)
      val next = ref 0
      val count = ForkJoin.reducem op+ 0 (2, n + 1) (fn i => if Array.sub (flags, i) = 0w1 then 1 else 0)
      val found = ForkJoin.alloc count
      fun claim i =
        let val at = ! next
        in if Concurrency.cas next (at, at + 1) = at then Array.update (found, at, i) else claim i
        end
      val () = ForkJoin.parform (2, n + 1) (fn i => if Array.sub (flags, i) = 0w1 then claim i else ())
    in
      found
    end
val found = primes 20000
val sum = Array.foldl op+ 0 found
val () = print (Int.toString (Array.length found) ^ " " ^ Int.toString sum ^ "\n")
