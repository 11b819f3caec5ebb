(* Closures that are made in a loop see the variables of their own iteration. *)
val fs = List.tabulate (5, fn i => fn () => i * i)
fun collect (0, acc) = acc | collect (n, acc) = let val m = n * 10 in collect (n - 1, (fn k => n + m + k) :: acc) end
val r = ref 0
val gs = map (fn i => fn () => (r := !r + i; !r)) [1, 10, 100]
val () = print (String.concatWith "," (map (fn f => Int.toString (f ())) fs) ^ " " ^ String.concatWith "," (map (fn f => Int.toString (f 1)) (collect (3, []))) ^ " " ^ String.concatWith "," (map (fn g => Int.toString (g ())) (gs @ rev gs)) ^ "\n")
