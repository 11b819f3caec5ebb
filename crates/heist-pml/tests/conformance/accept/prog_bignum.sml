(* Arithmetic of large numbers on lists of digits, compared with IntInf. *)
fun add ([], ys, 0) = ys | add (xs, [], 0) = xs
  | add ([], ys, c) = add ([c], ys, 0) | add (xs, [], c) = add (xs, [c], 0)
  | add (x :: xs, y :: ys, c) = let val s = x + y + c in s mod 10 :: add (xs, ys, s div 10) end
fun mul1 (_, [], 0) = [] | mul1 (_, [], c) = c mod 10 :: mul1 (0, [], c div 10)
  | mul1 (d, x :: xs, c) = let val p = d * x + c in p mod 10 :: mul1 (d, xs, p div 10) end
fun mul ([], _) = [] | mul (x :: xs, ys) = add (mul1 (x, ys, 0), 0 :: mul (xs, ys), 0)
fun fromString s = rev (map (fn c => ord c - 48) (explode s))
fun toString ds = let fun strip (0 :: (r as _ :: _)) = strip r | strip l = l in implode (map (fn d => chr (d + 48)) (strip (rev ds))) end
fun fact 0 = [1] | fact n = mul (fromString (Int.toString n), fact (n - 1))
fun big 0 = 1 : IntInf.int | big n = IntInf.fromInt n * big (n - 1)
val () = print (toString (fact 25) ^ " " ^ Bool.toString (toString (fact 60) = IntInf.toString (big 60)) ^ "\n")
