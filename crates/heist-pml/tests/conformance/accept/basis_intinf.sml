(* IntInf: big factorials, powers, division of all signs, bits, text. *)
fun fact 0 = 1 : IntInf.int | fact n = IntInf.fromInt n * fact (n - 1)
val f = fact 30
val () = print (IntInf.toString f ^ "\n")
val () = print (IntInf.toString (IntInf.pow (2, 100) - 1) ^ " " ^ IntInf.toString (f div fact 28) ^ " " ^ Int.toString (IntInf.log2 f) ^ "\n")
val a = 123456789012345678901234567890 : IntInf.int and b = 987654321 : IntInf.int
fun four (a, b) = print (String.concatWith " " (map IntInf.toString [a div b, a mod b, IntInf.quot (a, b), IntInf.rem (a, b)]) ^ "\n")
val () = app four [(a, b), (~a, b), (a, ~b), (~a, ~b)]
val (q, r) = IntInf.divMod (~7, 2) val (q', r') = IntInf.quotRem (~7, 2)
val () = print (String.concatWith " " (map IntInf.toString [q, r, q', r', abs (~a), IntInf.min (a, b), IntInf.andb (a, 255), IntInf.orb (1, 6), IntInf.xorb (5, 3), IntInf.notb 0, IntInf.<< (1, 0w70), IntInf.~>> (a, 0w64)]) ^ "\n")
val () = print (IntInf.fmt StringCvt.HEX a ^ " " ^ IntInf.toString (valOf (IntInf.fromString "~99999999999999999999")) ^ " " ^ Int.toString (IntInf.sign (~a)) ^ Bool.toString (a > b) ^ "\n")
val () = (ignore (IntInf.toInt a); print "no\n") handle Overflow => print "Overflow\n"
val () = (ignore (a div 0); print "no\n") handle Div => print "Div\n"
