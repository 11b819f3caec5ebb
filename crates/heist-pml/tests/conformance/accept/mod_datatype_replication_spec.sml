(* Replication in a signature and in the structure that matches it. *)
structure Base = struct datatype color = Red | Green | Blue end
signature PALETTE = sig datatype color = datatype Base.color val favourite : color val next : color -> color end
structure P : PALETTE = struct
  datatype color = datatype Base.color
  val favourite = Green
  fun next Red = Green | next Green = Blue | next Blue = Red
end
fun show Base.Red = "red" | show Base.Green = "green" | show P.Blue = "blue"
val () = print (show P.favourite ^ show (P.next P.favourite) ^ show (P.next Base.Blue) ^ "\n")
