(* Random graphs with four edges per vertex. Every second edge leads to a vertex at most 50 further on, and the other edges lead to any
   vertex. *)
structure Network :
sig
  val graph : int -> Graph.graph
end =
struct
  fun edge n e =
    let
      val from = Twin.below (10, 2 * e, n)
      val to = if e mod 2 = 0 then (from + Twin.below (10, 2 * e + 1, 50) + 1) mod n else Twin.below (10, 2 * e + 1, n)
    in
      (from, to)
    end
  fun graph n = Graph.fromEdges (n, Seq.tabulate (4 * n, edge n))
end
