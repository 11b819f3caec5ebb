(* Constructors shadow variables and each other; old values keep their meaning. *)
datatype a = X | Y
val old = X
fun isX X = true | isX _ = false
datatype b = X of int | Z
fun isNew (X n) = n | isNew Z = 0
val () = print (Bool.toString (isX old) ^ Bool.toString (isX Y) ^ Int.toString (isNew (X 3)) ^ "\n")
fun shadow f = let val Q = 1 in f Q end
val () = print (Int.toString (shadow (fn n => n + 1)) ^ "\n")
datatype c = Q
val q = case Q of Q => "constructor" 
val () = print (q ^ "\n")
