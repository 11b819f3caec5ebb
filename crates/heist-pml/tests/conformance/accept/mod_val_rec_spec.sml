(* Mutual recursion inside a structure. The signature shows only one of the functions. *)
structure Parity : sig val even : int -> bool end = struct fun even 0 = true | even n = odd (n - 1) and odd 0 = false | odd n = even (n - 1) end
structure Top = struct val f = ref (fn (_ : int) => 0) fun call n = !f n end
val () = Top.f := (fn 0 => 0 | n => n + Top.call (n - 1))
val () = print (Bool.toString (Parity.even 10) ^ Int.toString (Top.call 4) ^ "\n")
