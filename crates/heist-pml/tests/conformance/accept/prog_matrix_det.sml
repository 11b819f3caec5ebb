(* Determinants with fractions, and a check of the inverse. *)
fun gcd (a, 0) = abs a | gcd (a, b) = gcd (b, a mod b)
infix 7 /// infix 6 +++ ---
infix 7 ***
fun norm (a, b) = let val g = gcd (a, b) val s = if b < 0 then ~1 else 1 in (s * a div g, s * b div g) end
fun (a, b) +++ (c, d) = norm (a * d + b * c, b * d)
fun (a, b) --- (c, d) = norm (a * d - b * c, b * d)
fun (a, b) *** (c, d) = norm (a * c, b * d)
fun (a, b) /// (c, d) = if c = 0 then raise Div else norm (a * d, b * c)
fun row f = ListPair.map f
fun det [] = (1, 1)
  | det rows =
      case List.partition (fn (x, _) :: _ => x <> 0 | [] => false) rows of
        ([], _) => (0, 1)
      | (pivot :: others, zeros) =>
          let
            val p = hd pivot
            fun clear r = let val k = hd r /// p in row (fn (x, y) => x --- (k *** y)) (tl r, tl pivot) end
            val sign = let fun index ((x, _) :: _, i) = if x <> 0 then i else i | index ([], i) = i in if hd (hd rows) = p then 1 else ~1 end
          in (sign, 1) *** p *** det (map clear (others @ zeros)) end
fun frac (a, 1) = Int.toString a | frac (a, b) = Int.toString a ^ "/" ^ Int.toString b
val m = map (map (fn n => (n, 1)))
val () = print (String.concatWith " " (map (frac o det o m) [[[1, 2], [3, 4]], [[2, 0, 1], [1, 3, 2], [1, 1, 4]], [[1, 2, 3], [4, 5, 6], [7, 8, 9]]]) ^ " " ^ frac ((1, 2) +++ (1, 3) /// (5, 7)) ^ "\n")
