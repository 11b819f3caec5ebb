(* Overloaded operators inside functors take the types of their annotations. *)
functor Stats (val data : real list) = struct
  val n = real (length data)
  val mean = foldl op + 0.0 data / n
  val variance = foldl (fn (x, s) => s + (x - mean) * (x - mean)) 0.0 data / n
end
functor Counts (val data : int list) = struct val total = foldl op + 0 data val positive = length (List.filter (fn x => x > 0) data) end
structure S = Stats (val data = [1.0, 2.0, 3.0, 4.0])
structure C = Counts (val data = [~1, 5, 7])
val () = print (Real.toString S.mean ^ " " ^ Real.toString S.variance ^ " " ^ Int.toString (C.total + C.positive) ^ "\n")
