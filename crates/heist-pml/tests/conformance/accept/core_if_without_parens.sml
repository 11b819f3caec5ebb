(* The extent of if, case, fn, raise and handle without parentheses. *)
val a = if true then 1 else 2 + 10
val b = (if true then 1 else 2) + 10
val f = fn x => x + 1 : int
val c = 1 + (case 2 of 2 => 3 | _ => 4)
val d = let val x = 1 in x + 1 end * 2
val e = (fn x => fn y => x - y) 10 3
val g = (fn x => if x > 5 then raise Fail "big" else x) 3 handle Fail _ => 0
val h = 1 + ((raise Fail "x") handle _ => raise Empty) handle Empty => 100
val i = case 1 of x => x + (case 2 of y => y) * 10
val j = not true orelse true
val k = ~1 + 2
val () = print (String.concatWith " " (map Int.toString [a, b, f 1, c, d, e, g, h, i, k]) ^ Bool.toString j ^ "\n")
