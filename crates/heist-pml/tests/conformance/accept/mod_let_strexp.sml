(* let in structure expressions, and ascription there. *)
structure S = let val base = 10 fun scale n = n * base in struct val a = scale 1 val b = scale base end end
structure T = let structure H = struct val secret = "s" fun use () = secret ^ secret end in H : sig val use : unit -> string end end
structure U = struct val x = 5 val y = 6 end : sig val x : int end
val () = print (Int.toString (S.a + S.b + U.x) ^ T.use () ^ "\n")
