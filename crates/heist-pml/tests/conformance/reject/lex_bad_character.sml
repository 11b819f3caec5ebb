(* error: E0101 *)
val price = 3
val total = price + 2 €
