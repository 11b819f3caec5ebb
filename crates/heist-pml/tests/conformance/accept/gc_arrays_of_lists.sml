(* Old arrays repeatedly get references to young objects. *)
val n = 1000
val table : int list array = Array.array (n, [])
fun step (0, _) = () | step (k, x) =
  let val i = x mod n val l = Array.sub (table, i)
  in Array.update (table, i, if length l > 10 then [k] else k :: l); step (k - 1, (x * 1103515245 + 12345) mod 2147483648) end
val () = step (300000, 42)
val () = print (Int.toString (Array.foldl (fn (l, s) => s + length l) 0 table) ^ " " ^ Int.toString (Array.foldl (fn (l, s) => (s * 31 + foldl op + 0 l) mod 1000003) 0 table) ^ "\n")
