(* Patterns at top level bind several names at once. Each name is polymorphic where this is allowed. *)
val (id, const) = (fn x => x, fn x => fn _ => x)
val {a = [p, q], b = SOME r} = {b = SOME "r", a = [1, 2]}
val x :: (y :: _) = [10, 20, 30]
val [f, g] = [fn n => n + 1, fn n => n * 2]
val _ = id (const 1 "unused")
val (m as (n, _)) = (5, 6)
val () = print (Int.toString (id p + q + const x y + f 1 + g 2 + n + #2 m) ^ id r ^ const "k" 0 ^ "\n")
