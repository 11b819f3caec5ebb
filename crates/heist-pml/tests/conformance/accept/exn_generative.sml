(* Each evaluation of an exception declaration makes a new exception. *)
fun make () = let exception Local of int in (fn n => raise Local n, fn f => (f () handle Local n => n)) end
val (raise1, catch1) = make ()
val (raise2, catch2) = make ()
val () = print (Int.toString (catch1 (fn () => raise1 1)) ^ "\n")
val () = print (Int.toString (catch2 (fn () => catch1 (fn () => raise2 2))) ^ "\n")
val () = print (Int.toString (catch1 (fn () => raise2 3) handle _ => ~1) ^ "\n")
functor F () = struct exception E end
structure A = F () structure B = F ()
val () = print (((raise A.E) handle B.E => "B" | A.E => "A") ^ "\n")
