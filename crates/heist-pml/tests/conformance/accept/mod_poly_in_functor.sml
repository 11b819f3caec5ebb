(* Polymorphic functions in a functor's body, used at several types after application. *)
functor Lists (val limit : int) = struct
  fun take l = let fun go (_, 0) = [] | go ([], _) = [] | go (x :: t, n) = x :: go (t, n - 1) in go (l, limit) end
  fun pairs l = ListPair.zip (l, take (rev l))
  val empty = []
end
structure L = Lists (val limit = 2)
val () = print (concat (L.take ["a", "b", "c"]) ^ Int.toString (length (L.take [1, 2, 3] @ L.empty) + length (L.pairs [#"a", #"b", #"c"])) ^ Bool.toString (null (L.empty : bool list)) ^ "\n")
