(* Digits in groups, and numbers in base 2. *)
val () =
  print (String.concatWith " " (map Int.toString [1_000_000, 0b1010, ~0b11, 0xff_ff, ~1__2, 0b1111_0000]) ^ "\n")
val () = print (String.concatWith " " (map Word.toString [0wb1010, 0w1_0, 0wxdead_beef]) ^ "\n")
val () = print (Real.toString (1_0.2_5e1_0) ^ " " ^ IntInf.toString 1_000_000_000_000_000_000_000 ^ "\n")
fun f 1_0 = "ten" | f 0b11 = "three" | f _ = "no"
val () = print (f 10 ^ " " ^ f 3 ^ " " ^ f 1 ^ "\n")
(* A name or `_` directly behind a number is a separate token. *)
fun g 1_= 2 | g x _=x
val () = print (Int.toString (g 1 0 + g 5 0) ^ "\n")
