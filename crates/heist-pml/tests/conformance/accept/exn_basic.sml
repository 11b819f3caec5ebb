(* Raising, handling and re-raising. The innermost handler that matches gets the exception. *)
exception Bad of string
exception Worse
fun f 0 = raise Bad "zero" | f 1 = raise Worse | f 2 = raise Fail "two" | f n = 100 div (n - 3)
fun g n = f n handle Bad s => (print ("[" ^ s ^ "]"); ~1) | Div => ~2
fun h n = g n handle Worse => ~3
fun all n = h n handle e => (print (exnName e); raise e) handle Fail m => size m
val () = app (fn n => print (Int.toString (all n) ^ " ")) [0, 1, 2, 3, 4, 8]
val () = print "\n"
val x = (raise Bad "x"; 1) handle Bad _ => 5
val y = 1 + (2 handle Worse => 3) + ((raise Worse) handle Worse => 4)
val () = print (Int.toString (x + y) ^ "\n")
