(* Parallel arrays behind a signature, and a functor over an associative operation. *)
signature MONOID = sig type t val unit : t val times : t * t -> t end
functor Reduce (M : MONOID) = struct fun all f xs = reduceP M.times M.unit (mapP f xs) fun prefixes xs = scanP M.times M.unit xs end
structure Sum = Reduce (type t = int val unit = 0 val times = op +)
structure Text = Reduce (struct type t = string val unit = "" val times = op ^ end)
val () = print (Int.toString (Sum.all (fn x => x * x) [| 1 to 4 |]) ^ Text.all Int.toString [| 1 to 5 |] ^ PArray.toString (fn s => s) "," (Text.prefixes [| "a", "b", "c" |]) ^ "\n")
