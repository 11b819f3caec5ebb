(* Shadowing, nested let, and scope of local. *)
val x = 1
val y = let val x = x + 1 val x = x * 10 in let val x = x + 1 in x end + x end
local
  val x = 1000
  fun twice n = 2 * n
in
  fun big () = twice x
  val z = x
end
val () = print (Int.toString x ^ " " ^ Int.toString y ^ " " ^ Int.toString (big ()) ^ " " ^ Int.toString z ^ "\n")
val x = "now a string"
val () = print (x ^ "\n")
