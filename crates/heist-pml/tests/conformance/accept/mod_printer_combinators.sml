(* Pretty printing by a structure of combinators with operators of its own. *)
structure Doc = struct
  datatype doc = Text of string | Line | Nest of int * doc | Cat of doc * doc
  infixr 6 ^^
  fun a ^^ b = Cat (a, b)
  fun render d =
    let fun go (_, Text s) = s | go (i, Line) = "\n" ^ CharVector.tabulate (i, fn _ => #" ") | go (i, Nest (j, d)) = go (i + j, d) | go (i, Cat (a, b)) = go (i, a) ^ go (i, b)
    in go (0, d) end
  fun block (head, ds, tail) = Text head ^^ Nest (2, foldr (fn (d, r) => Line ^^ d ^^ r) (Text "") ds) ^^ Line ^^ Text tail
end
local open Doc in val d = block ("begin", [Text "x := 1;", block ("if x {", [Text "print x"], "}"), Text "end of it"], "end") end
val () = print (Doc.render d ^ "\n")
