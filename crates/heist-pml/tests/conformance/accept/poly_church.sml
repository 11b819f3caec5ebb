(* Church numerals and booleans, which consist only of functions. *)
val zero = fn f => fn x => x
fun succ n f x = f (n f x)
fun plus m n f x = m f (n f x)
fun times m n f = m (n f)
fun toInt n = n (fn k => k + 1) 0
fun one f = succ zero f
fun two f = succ one f
fun three f = plus one two f
fun six f = times two three f
val t = fn a => fn b => a
val f = fn a => fn b => b
fun if_ c a b = c a b
val () = print (Int.toString (toInt six) ^ " " ^ Int.toString (toInt (plus six (fn f => three f))) ^ if_ t " yes" " no" ^ if_ f " yes" " no" ^ "\n")
val () = print (six (fn s => s ^ "*") "" ^ "\n")
