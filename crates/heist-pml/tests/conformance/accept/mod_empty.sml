(* Empty structures, signatures and functors. *)
structure E = struct end
signature N = sig end
structure F : N = struct val x = 1 end
functor G () = struct val y = 2 end
functor H (X : N) = struct open X val z = 3 end
structure I = G ()
structure J = H (E)
structure K = H (struct val w = 4 end)
open E
val () = print (Int.toString (I.y + J.z + K.z) ^ "\n")
