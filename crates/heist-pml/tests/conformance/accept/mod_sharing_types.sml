(* sharing type makes two abstract types one within a functor. *)
signature SOURCE = sig type item val items : item list end
signature SINK = sig type item val show : item -> string end
functor Pipe (structure A : SOURCE structure B : SINK sharing type A.item = B.item) = struct
  val text = String.concatWith "," (map B.show A.items)
end
structure P = Pipe (structure A = struct type item = int val items = [1, 2, 3] end structure B = struct type item = int fun show n = Int.toString (n * n) end)
structure Q = Pipe (structure A = struct type item = bool * int val items = [(true, 1)] end structure B = struct type item = bool * int fun show (b, n) = Bool.toString b ^ Int.toString n end)
val () = print (P.text ^ " " ^ Q.text ^ "\n")
