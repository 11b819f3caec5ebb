(* References to references, and order of effects in assignments. *)
val a = ref 1
val b = ref a
val () = !b := 5
val c = ref 2
val () = (b := c; !b := !(!b) + 10)
val r = ref (fn x => x)
val () = r := (fn x => if x = 0 then 0 else x + !r (x - 1))
val x = !a before a := 100
fun swap (p, q) = let val t = !p in p := !q; q := t end
val () = swap (a, c)
val () = print (String.concatWith " " (map Int.toString [!a, !(!b), !c, !r 10, x]) ^ "\n")
val l = [ref 1, ref 2, ref 3]
val () = app (fn r => r := !r * !r) l
val () = print (String.concat (map (Int.toString o !) l) ^ "\n")
