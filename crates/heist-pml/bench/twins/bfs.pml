(* Finds the distances of all vertices of a graph from one, level by level. Argument: vertices (200000). *)

val () =
  Twin.main 200000 (fn n =>
    let
      val graph = Network.graph n
      (* In Rust, too, what cannot be reached is at the distance of 32 ones. *)
      fun word ~1 = 0wxffffffff
        | word level = Twin.ofInt level
    in
      ( fn () => Graph.distances (graph, 0)
      , fn levels => Twin.checksum (n, fn v => word (Seq.sub (levels, v))) )
    end)
