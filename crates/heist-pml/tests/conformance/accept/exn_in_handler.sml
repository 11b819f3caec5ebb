(* A handler may raise an exception. Handlers in loops do not use up the stack. *)
exception A exception B of int
val x = ((raise A) handle A => raise B 1) handle B n => n
fun loop (0, acc) = acc | loop (n, acc) = loop (n - 1, acc + (if n mod 3 = 0 then raise B n else 1) handle B k => acc + k mod 2)
val () = print (Int.toString x ^ " " ^ Int.toString (loop (30, 0)) ^ "\n")
fun retry 0 f = raise A | retry n f = f n handle B _ => retry (n - 1) f
val () = print (Int.toString (retry 5 (fn n => if n > 2 then raise B n else n)) ^ "\n")
val () = print ((Int.toString (retry 3 (fn n => raise B n)) handle A => "gave up") ^ "\n")
