(* Values, functions and constructors applied to values generalise; ref and applications do not. *)
val empty = []
val pair = ([], NONE)
val f = (fn x => x) : 'a -> 'a
val con = SOME (fn x => [x])
val r = {nil = [], id = fn x => x}
val store = ref []
val () = store := [1]
val app1 = map (fn x => x + 1)
val eta = fn l => map (fn x => x) l
val counter = let val n = ref 0 in fn () => (n := !n + 1; !n) end
val (nils, _) = pair
val () = print (Int.toString (length (1 :: empty) + length ("a" :: empty) + length (true :: nils) + length (#"c" :: #nil r)) ^ "\n")
val () = print (Int.toString (f (hd (!store)) + length (f ["x"]) + hd (app1 [1]) + length (eta ["b"]) + hd (eta [5])) ^ "\n")
val () = print (Int.toString (length (valOf con 1) + length (valOf con "z") + counter () + counter ()) ^ "\n")
val cell = ref NONE : string option ref
val () = (cell := SOME "set\n"; print (valOf (!cell)))
