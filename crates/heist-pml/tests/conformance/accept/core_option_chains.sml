(* Errors as values: options threaded through several steps. *)
infix 2 >>= 
fun (SOME x) >>= f = f x | NONE >>= _ = NONE
fun lookup k l = Option.map #2 (List.find (fn (k', _) => k = k') l)
val env = [("home", "user"), ("user", "42"), ("bad", "x1")]
fun number k = lookup k env >>= Int.fromString >>= (fn n => if n > 0 then SOME (n * 2) else NONE)
fun deep k = lookup k env >>= (fn k' => number k')
fun show NONE = "none" | show (SOME n) = Int.toString n
val () = print (String.concatWith " " (map show [number "user", number "bad", number "nope", deep "home", deep "user"]) ^ "\n")
