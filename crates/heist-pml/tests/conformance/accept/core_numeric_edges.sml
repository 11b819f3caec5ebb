(* Numbers near the ends of common sizes, and signs. *)
val k = 1073741824
val values = [k - 1, k, ~k, 2 * k, 2147483647, 2147483648, ~2147483649, 4294967295, 4294967296, k * k, ~k * k, 4 * k * (k div 4)]
val () = print (String.concatWith " " (map Int.toString values) ^ "\n")
val () = print (String.concatWith " " (map (fn n => Int.toString (n div 7) ^ ":" ^ Int.toString (n mod 7)) values) ^ "\n")
val () = print (Bool.toString (k * k > k andalso ~k * k < 0) ^ Int.toString (foldl Int.max ~1 values) ^ Int.toString (foldl Int.min 1 values) ^ "\n")
