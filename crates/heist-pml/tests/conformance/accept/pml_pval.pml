(* pval: a value that may be computed in parallel, used later or never. *)
fun f n = n * 2
fun g b =
  let
    pval x = f 21
    pval (p, q) = (f 1, "q")
  in
    if b then Int.toString x ^ q ^ Int.toString p else "none"
  end
val () = print (g true ^ " " ^ g false ^ "\n")
fun sum 0 = 0 | sum n = let pval rest = sum (n - 1) in n + rest end
val () = print (Int.toString (sum 100) ^ "\n")
