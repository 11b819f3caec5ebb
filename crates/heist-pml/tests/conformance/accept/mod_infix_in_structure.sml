(* Fixity inside structures is local to them; operators are used by their long names outside. *)
structure V = struct
  infix 6 ++ infix 7 **
  fun (a, b) ++ (c, d) = (a + c, b + d) : int * int
  fun k ** (a, b) = (k * a, k * b) : int * int
  val test = 2 ** (1, 2) ++ (10, 10)
end
infix 6 ++ infix 7 **
val op ++ = V.++
val op ** = V.**
val (a, b) = 3 ** V.test ++ (1, 1)
val () = print (Int.toString a ^ " " ^ Int.toString b ^ "\n")
