(* References and arrays are equal only if they are the same. *)
val a = ref 1 and b = ref 1
val c = a
val x = Array.array (3, 0) and y = Array.array (3, 0)
fun show b = print (Bool.toString b ^ " ")
val () = (show (a = b); show (a = c); show (!a = !b); show (x = y); show (x = x))
val f = ref (fn x => x + 1)
val g = f
val () = (show (f = g); show (f = ref (!f)))
val () = show ([a, b] = [c, b])
val () = show ((ref [], 1) = (ref [], 1))
val () = print "\n"
