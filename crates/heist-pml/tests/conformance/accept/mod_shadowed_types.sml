(* Several structures have a type of the same name, and each value keeps its own type. *)
structure A = struct datatype t = One | Two fun next One = Two | next Two = One end
structure B = struct datatype t = One | Three of A.t fun next One = Three A.One | next (Three a) = Three (A.next a) end
datatype t = One of A.t * B.t
fun show (One (A.One, B.One)) = "11" | show (One (A.Two, B.Three A.Two)) = "22" | show (One (_, B.Three A.One)) = "x1" | show _ = "other"
val () = app (fn v => print (show v ^ " ")) [One (A.One, B.One), One (A.next A.One, B.next (B.next B.One)), One (A.Two, B.next B.One), One (A.Two, B.One)]
val () = print "\n"
