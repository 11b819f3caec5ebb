(* If no rule matches, the program raises Match or Bind. The compiler only warns. *)
fun f 1 = "one" | f 2 = "two"
datatype t = X of int | Y
val g = fn X n => n
val () = print (f 1 ^ " " ^ (f 3 handle Match => "match") ^ "\n")
val () = print (Int.toString (g (X 4)) ^ " " ^ Int.toString (g Y handle Match => 0) ^ "\n")
fun h l = (case l of [a, b] => a + b) handle Match => ~1
val () = print (Int.toString (h [1, 2]) ^ " " ^ Int.toString (h [1]) ^ "\n")
fun k 0 "a" = 1 | k n "b" = n
val () = print (Int.toString (k 0 "a" + k 5 "b") ^ " " ^ Int.toString (k 1 "a" handle Match => ~9) ^ "\n")
