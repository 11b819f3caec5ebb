(* Strassen's product of matrices that consist of quadrants, with a parallel tuple of seven products. *)
datatype m = S of int | Q of m * m * m * m
fun add (S a, S b) = S (a + b) | add (Q (a, b, c, d), Q (e, f, g, h)) = Q (| add (a, e), add (b, f), add (c, g), add (d, h) |) | add _ = raise Domain
fun neg (S a) = S (~a) | neg (Q (a, b, c, d)) = Q (neg a, neg b, neg c, neg d)
fun sub (a, b) = add (a, neg b)
fun mul (S a, S b) = S (a * b)
  | mul (Q (a11, a12, a21, a22), Q (b11, b12, b21, b22)) =
      let
        val (m1, m2, m3, m4, m5, m6, m7) =
          (| mul (add (a11, a22), add (b11, b22)), mul (add (a21, a22), b11), mul (a11, sub (b12, b22)), mul (a22, sub (b21, b11)),
             mul (add (a11, a12), b22), mul (sub (a21, a11), add (b11, b12)), mul (sub (a12, a22), add (b21, b22)) |)
      in
        Q (add (sub (add (m1, m4), m5), m7), add (m3, m5), add (m2, m4), add (add (sub (m1, m2), m3), m6))
      end
  | mul _ = raise Domain
fun make (1, f) = S (f (0, 0)) | make (n, f) = let val h = n div 2 fun from (r, c) = make (h, fn (i, j) => f (i + r, j + c)) in Q (| from (0, 0), from (0, h), from (h, 0), from (h, h) |) end
fun entry (S a, _, _, _) = a | entry (Q (a, b, c, d), n, i, j) = let val h = n div 2 in if i < h then (if j < h then entry (a, h, i, j) else entry (b, h, i, j - h)) else if j < h then entry (c, h, i - h, j) else entry (d, h, i - h, j - h) end
val n = 8
fun f (i, j) = i * 3 - j + 1
fun g (i, j) = (i + 2 * j) mod 5
val p = mul (make (n, f), make (n, g))
fun direct (i, j) = sumP [| f (i, k) * g (k, j) | k in [| 0 to n - 1 |] |]
val wrong = sumP [| lengthP [| j | j in [| 0 to n - 1 |] where entry (p, n, i, j) <> direct (i, j) |] | i in [| 0 to n - 1 |] |]
val () = print (Int.toString wrong ^ " wrong, " ^ Int.toString (entry (p, n, 0, 0)) ^ "\n")
