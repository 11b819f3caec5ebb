(* exception E = F names the same exception. *)
exception First of int
exception Second = First
exception Zero = Div
structure S = struct exception Inner = First end
val a = (raise First 1) handle Second n => n
val b = (raise S.Inner 2) handle First n => n
val c = (1 div 0) handle Zero => 3
exception First
val d = ((raise Second 4) handle First => 0) handle Second n => n
val e = (raise (Second 5 handle First => Div)) handle Second n => n
val () = print (String.concatWith " " (map Int.toString [a, b, c, d, e]) ^ "\n")
