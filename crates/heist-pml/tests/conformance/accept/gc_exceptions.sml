(* Exceptions with payloads raised through frames while the collector is busy. *)
exception Found of int list
fun dig (0, l) = raise Found l | dig (n, l) = let val l' = n :: l in dig (n - 1, l') + length l' end
fun loop (0, s) = s | loop (k, s) = loop (k - 1, (s + (dig (k mod 50, []) handle Found l => foldl op + 0 l)) mod 1000003)
val () = print (Int.toString (loop (20000, 0)) ^ "\n")
