(* error: E0203 *)
fun even 0 = true
  | odd n = even (n - 1)
