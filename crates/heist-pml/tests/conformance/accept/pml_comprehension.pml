(* Comprehensions: one binder, patterns, where, nested. *)
fun show xs = print (PArray.toString Int.toString " " xs ^ "\n")
val xs = [| 1 to 6 |]
val () = show [| x * x | x in xs |]
val () = show [| x | x in xs where x mod 2 = 0 |]
val () = show [| a - b | (a, b) in [| (5, 1), (7, 3) |] |]
val () = show [| sumP [| i * j | j in [| 1 to i |] |] | i in [| 1 to 4 |] |]
val () = show [| x | x in xs where x > 10 |]
val () = print (PArray.toString (fn s => s) "," [| Int.toString x ^ s | x in xs, s in [| "a", "b" |] |] ^ "\n")
