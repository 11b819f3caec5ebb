(* Wide tuples and records, passed, returned, compared, stored. *)
fun rotate (a, b, c, d, e, f, g, h, i, j, k, l) = (l, a, b, c, d, e, f, g, h, i, j, k)
fun times 0 f x = x | times n f x = times (n - 1) f (f x)
val t = (1, "two", 3.0, #"4", 5, "six", 7.0, #"8", 9, "ten", 11.0, #"c")
fun nums (a, b, c, d, e, f, g, h, i, j, k, l) = a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i + 10 * j + 11 * k + 12 * l
val n = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12)
val (a, b, c, d, e, f, g, h, i, j, k, l) = t
val () = print (Int.toString (nums n) ^ " " ^ Int.toString (nums (times 5 rotate n)) ^ " " ^ Bool.toString (times 12 rotate n = n) ^ "\n")
val () = print (b ^ Real.toString (c + g + k) ^ str d ^ str h ^ f ^ j ^ Int.toString (a + e + i) ^ str l ^ "\n")
fun opt 0 = NONE | opt k = SOME (times k rotate n)
val () = print (Int.toString (case opt 3 of SOME (x, _, z, _, _, _, _, _, _, _, _, _) => x * z | NONE => 0) ^ "\n")
