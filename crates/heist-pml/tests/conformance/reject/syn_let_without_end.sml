(* error: E0202 *)
fun f x =
  let val y = x + 1
  in y * y

fun g x = f x
