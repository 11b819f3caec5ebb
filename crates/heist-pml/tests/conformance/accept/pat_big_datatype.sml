(* A datatype of many constructors: matches by groups, defaults in between. *)
datatype key = A | B | C | D | E | F | G | H | I | J | K of int | L of int * int | M of string | N | O | P | Q of key | R
fun code k = case k of
    A => 1 | C => 3 | E => 5 | G => 7 | I => 9
  | K 0 => 10 | K n => n | L (1, n) => n | L (n, 1) => ~n | M "m" => 13
  | Q (Q (K n)) => 100 + n | Q (Q _) => 200 | Q A => 300 | R => 99 | _ => 0
val ks = [A, B, C, D, E, F, G, H, I, J, K 0, K 77, L (1, 5), L (5, 1), L (2, 2), M "m", M "n", N, O, P, Q A, Q B, Q (Q (K 4)), Q (Q A), R]
val () = print (String.concatWith " " (map (Int.toString o code) ks) ^ "\n")
