(* Types and values that would be very large without sharing. *)
fun dup x = (x, x)
val a = dup (dup (dup (dup (dup (dup 1)))))
val ((((((b, _), _), _), _), _), (_, (_, (_, (_, (_, c)))))) = a
fun twice f = f o f
val n = twice (twice (twice (fn x => x + 1))) 0
val l = let fun pow 0 = [()] | pow k = let val r = pow (k - 1) in r @ r end in length (pow 12) end
val () = print (Int.toString (b + c) ^ " " ^ Int.toString n ^ " " ^ Int.toString l ^ "\n")
