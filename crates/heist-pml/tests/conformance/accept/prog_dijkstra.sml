(* Shortest paths in a small graph, with a sorted list as queue. *)
val edges = [("a", "b", 7), ("a", "c", 9), ("a", "f", 14), ("b", "c", 10), ("b", "d", 15), ("c", "d", 11), ("c", "f", 2), ("d", "e", 6), ("e", "f", 9)]
fun neighbours v = List.mapPartial (fn (x, y, w) => if x = v then SOME (y, w) else if y = v then SOME (x, w) else NONE) edges
fun insert ((d : int, v : string, p), []) = [(d, v, p)] | insert (e as (d, _, _), q as (e' as (d', _, _)) :: t) = if d <= d' then e :: q else e' :: insert (e, t)
fun search ([], done) = done
  | search ((d, v, path) :: q, done) =
      if List.exists (fn (u, _, _) => u = v) done then search (q, done)
      else search (foldl (fn ((u, w), q) => insert ((d + w, u, u :: path), q)) q (neighbours v), (v, d, rev path) :: done)
val () = app (fn (v, d, path) => print (v ^ " " ^ Int.toString d ^ " " ^ concat path ^ "\n")) (rev (search ([(0, "a", ["a"])], [])))
