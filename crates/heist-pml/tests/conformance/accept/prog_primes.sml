(* The sieve of Eratosthenes over an array, and factorisation. *)
val n = 100000
val composite = Array.array (n + 1, false)
fun mark (m, p) = if m > n then () else (Array.update (composite, m, true); mark (m + p, p))
fun sieve p = if p * p > n then () else (if Array.sub (composite, p) then () else mark (p * p, p); sieve (p + 1))
val () = sieve 2
val count = Array.foldli (fn (i, c, k) => if i > 1 andalso not c then k + 1 else k) 0 composite
fun factors (1, _) = [] | factors (m, p) = if p * p > m then [m] else if m mod p = 0 then p :: factors (m div p, p) else factors (m, p + 1)
val () = print (Int.toString count ^ " " ^ String.concatWith "*" (map Int.toString (factors (1234567890, 2))) ^ "\n")
