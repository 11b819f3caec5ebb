(* Finds the distances of all vertices of a graph from one vertex, level by level. Argument: vertices (200000). *)

val () =
  Twin.main 200000 (fn n =>
    let
      val graph = Network.graph n
      (* If no path leads to a vertex, its distance is a word of 32 ones, as in the twin in Rust. *)
      fun word ~1 = 0wxffffffff
        | word level = Twin.ofInt level
    in
      ( fn () => Graph.distances (graph, 0)
      , fn levels => Twin.checksum (n, fn v => word (Seq.sub (levels, v))) )
    end)
