(* Sequences, while, and their values. *)
val i = ref 0
val sum = ref 0
val () = while !i < 10 do (sum := !sum + !i; i := !i + 1)
val () = print (Int.toString (!sum) ^ "\n")
fun collatz n =
  let val n = ref n val steps = ref 0
  in
    while !n <> 1 do
      (if !n mod 2 = 0 then n := !n div 2 else n := 3 * !n + 1;
       steps := !steps + 1);
    !steps
  end
val () = print (Int.toString (collatz 27) ^ "\n")
val v = (print "a"; print "b"; 42)
val () = (print "c\n"; print (Int.toString v); print "\n")
val () = let in print "empty let\n"; () end
