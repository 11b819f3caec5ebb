(* otherwise matches if no other rule matches. *)
fun classify (x, y) =
  pcase x & y of
    0 & 0 => "origin"
  | SOMEONE & 0 => "axis " ^ Int.toString SOMEONE
  | otherwise => "plane"
fun first (a, b) =
  pcase a & b of
    SOME n & ? => n
  | NONE & SOME n => n + 100
  | otherwise => ~1
val () = print (classify (0, 0) ^ ", " ^ classify (5, 0) ^ ", " ^ classify (1, 2) ^ "\n")
val () = print (String.concatWith " " (map (Int.toString o first) [(SOME 1, NONE), (NONE, SOME 2), (NONE, NONE)]) ^ "\n")
