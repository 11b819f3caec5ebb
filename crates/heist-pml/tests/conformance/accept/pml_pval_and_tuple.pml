(* pval with parallel tuples, several at once, used in any order. *)
fun work (s, n) = size s + n - 1
fun f flag =
  let
    pval a = work ("a", 1)
    pval b = work ("b", 2)
    val c = work ("c", 3)
  in
    if flag then (| b, a, c |) else (| c, c, c |)
  end
val (x, y, z) = f true
val () = print (Int.toString (100 * x + 10 * y + z) ^ "\n")
val (p, q, r) = f false
val () = print (Int.toString (p + q + r) ^ "\n")
