(* After a `rec` all bindings are recursive, and a function may have several names. *)
val limit = 100
and rec even = fn n => n = 0 orelse odd' (n - 1)
and odd as odd' : int -> bool = fn n => n <> 0 andalso even (n - 1)
and _ = fn () => even 1
val rec rec twice as double = fn f => fn x => f (f x)
val _ = print (String.concatWith " " (List.map Bool.toString [even limit, odd limit, odd' 7]) ^ "\n")
val _ = print (Int.toString (twice (fn n => n * 3) 5) ^ double (fn s => s ^ "!") "" ^ "\n")
