(* Structure aliases share types and state. *)
structure Long = struct structure Name = struct structure Here = struct datatype t = T of int val r = ref 0 fun bump () = r := !r + 1 end end end
structure H = Long.Name.Here
structure N = Long.Name
val () = (H.bump (); N.Here.bump (); Long.Name.Here.bump ())
fun f (H.T n) = n
val () = print (Int.toString (!H.r + f (Long.Name.Here.T 10)) ^ Bool.toString (H.T 1 = N.Here.T 1) ^ "\n")
