(* Options of options, lists of options, unit payloads. *)
fun depth (SOME (SOME (SOME _))) = 3 | depth (SOME (SOME NONE)) = 2 | depth (SOME NONE) = 1 | depth NONE = 0
datatype flag = On of unit | Off
fun isOn (On ()) = true | isOn Off = false
datatype t = A of int option | B of (int * int option) option
fun value (A (SOME n)) = n | value (A NONE) = ~1 | value (B (SOME (a, SOME b))) = a + b | value (B (SOME (a, NONE))) = a | value (B NONE) = ~2
fun sequence [] = SOME [] | sequence (NONE :: _) = NONE | sequence (SOME x :: r) = (case sequence r of SOME l => SOME (x :: l) | NONE => NONE)
val () = print (concat (map (Int.toString o depth) [NONE, SOME NONE, SOME (SOME NONE), SOME (SOME (SOME "x"))]) ^ Bool.toString (isOn (On ()) andalso not (isOn Off)) ^ String.concatWith "," (map (Int.toString o value) [A (SOME 4), A NONE, B (SOME (1, SOME 2)), B (SOME (7, NONE)), B NONE]) ^ Bool.toString (isSome (sequence [SOME 1, NONE])) ^ Int.toString (length (valOf (sequence [SOME 1, SOME 2]))) ^ "\n")
