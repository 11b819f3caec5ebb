(* A "finally" that runs in both cases, nested. *)
fun finally f g = let val r = f () handle e => (g (); raise e) in g (); r end
fun note s () = print (s ^ " ")
val a = finally (fn () => 1) (note "a")
val b = finally (fn () => finally (fn () => 10 div (a - 1)) (note "inner")) (note "outer") handle Div => 7
val c = finally (fn () => (raise Fail "x") handle Fail _ => 3) (note "c")
val () = print (Int.toString (a + b + c) ^ "\n")
