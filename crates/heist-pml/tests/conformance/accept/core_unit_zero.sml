(* unit values, empty records, zero-argument functions, and ignored results. *)
val u = ()
val v : {} = {}
val () = if u = v then print "same\n" else print "different\n"
fun thunk () = 42
fun k (()) = "unit"
val f : unit -> unit = fn () => ()
val () = f (f (f ()))
val _ = thunk ()
val {} = ()
fun g {} = 1
val () = print (k () ^ Int.toString (thunk () + g {} + (fn _ => 3) ()) ^ "\n")
val units = List.tabulate (3, fn _ => ())
val () = print (Int.toString (length (List.filter (fn x => x = ()) units)) ^ "\n")
