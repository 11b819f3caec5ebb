(* A ! at the beginning of an expression or argument is the dereference. *)
val r = ref 3
val rs = [ref 1, ref 2]
fun inc r = r := !r + 1
val () = (inc r; inc (hd rs))
val l = map ! rs
val s = !r * !r - !(hd rs)
val f = !
val () = print (String.concat (map Int.toString (l @ [s, f r])) ^ "\n")
val i = ref 0
val () = while !i < 3 do (print (Int.toString (!i)); i := !i + 1)
val () = print "\n"
