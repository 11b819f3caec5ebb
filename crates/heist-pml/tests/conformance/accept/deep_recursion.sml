(* Frames two hundred thousand deep, of several kinds. *)
fun sum 0 = 0 | sum n = n + sum (n - 1)
fun build 0 = [] | build n = n :: build (n - 1)
fun str 0 = "" | str n = let val s = str (n - 1) in if n mod 50000 = 0 then s ^ "x" else s end
fun handled 0 = raise Empty | handled n = (1 + handled (n - 1)) handle Fail _ => 0
fun fsum 0 = 0.0 | fsum n = 1.5 + fsum (n - 1)
fun big (n, a, b, c, d) = if n = 0 then a + b + c + d else big (n - 1, a + 1, b, c, d) + (a - a) + b - b + c - c
val () = print (Int.toString (sum 200000) ^ " " ^ Int.toString (length (build 200000)) ^ " " ^ str 200000 ^ "\n")
val () = print (Int.toString (handled 200000 handle Empty => ~1) ^ " " ^ Real.toString (fsum 200000) ^ " " ^ Int.toString (big (200000, 1, 2, 3, 4)) ^ "\n")
val () = print (Int.toString (foldr op + 0 (map (fn x => x + 1) (build 200000))) ^ "\n")
