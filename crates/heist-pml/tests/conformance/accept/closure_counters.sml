(* Closures share and keep their state. *)
fun counter start = let val n = ref start in {next = fn () => (n := !n + 1; !n), reset = fn () => n := start, peek = fn () => !n} end
val a = counter 0 and b = counter 100
val () = (ignore (#next a ()); ignore (#next a ()); ignore (#next b ()))
val () = print (Int.toString (#peek a ()) ^ " " ^ Int.toString (#peek b ()) ^ "\n")
val () = #reset a ()
val fs = List.tabulate (5, fn i => fn x => x * i + #next a ())
val () = print (String.concatWith " " (map (fn f => Int.toString (f 10)) fs) ^ "\n")
val memo = let val table = ref [] in fn n => case List.find (fn (k, _) => k = n) (!table) of SOME (_, v) => "hit " ^ v | NONE => (table := (n, Int.toString (n * n)) :: !table; "miss") end
val () = print (String.concatWith "," (map memo [3, 4, 3, 5, 4]) ^ "\n")
