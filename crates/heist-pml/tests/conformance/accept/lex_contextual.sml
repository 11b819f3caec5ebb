(* Words that the parallel dialect uses are ordinary names in SML. *)
fun range {to, by} = let fun go i = if i > to then [] else i :: go (i + by) in go 0 end
val otherwise = true
fun spawn x = x + 1
val pval = 3
fun pcase x = if otherwise then x else 0
val () = print (String.concatWith " " (map Int.toString (range {to = 10, by = pval})) ^ "\n")
val () = print (Int.toString (pcase (spawn pval)) ^ "\n")
