(* open, local, and structures at top level of a program. *)
structure A = struct val x = 1 fun f y = x + y structure B = struct val x = 10 val z = 5 end end
open A
val one = f x
open B
val two = f x + z
local open List in val last3 = last [1, 2, 3] val rest = drop ([1, 2, 3], 1) end
val three = let open A in x + f x end
val () = print (String.concatWith " " (map Int.toString ([one, two, three, last3] @ rest)) ^ "\n")
local structure C = struct val x = "hidden" end in val shown = C.x end
val () = print (shown ^ "\n")
