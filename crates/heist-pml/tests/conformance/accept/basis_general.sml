(* General: composition, before, ignore, order, exceptions' names. *)
val f = Int.toString o (fn x => x * 2) o size
val x = (print "first "; 1) before print "second "
val () = print (f "abcd" ^ Int.toString x ^ "\n")
fun show LESS = "<" | show EQUAL = "=" | show GREATER = ">"
val () = print (show (Int.compare (1, 2)) ^ show (Char.compare (#"b", #"a")) ^ show (String.compare ("x", "x")) ^ show (Word.compare (0w1, 0w2)) ^ show (Real.compare (2.0, 1.0)) ^ "\n")
val () = ignore (3, "x")
val r = ref 1
val () = (r := 5; print (Int.toString (!r) ^ exnName (Fail "x") ^ "\n"))
val () = (case Fail "why" of Fail s => print (s ^ "\n") | _ => ())
