(* Counts the triangles of a graph: the common neighbours of the ends of each edge. Argument: vertices (200000). *)

(* Keeps only the arcs to vertices with more neighbours. Among vertices with equally many neighbours, keeps the arcs to later vertices. *)
fun upward graph =
  Graph.filter
    (fn (v, w) =>
       let val (a, b) = (Graph.degree (graph, v), Graph.degree (graph, w))
       in b > a orelse b = a andalso w > v
       end)
    graph

fun triangles graph =
  Delayed.reduce op+ 0
    (Delayed.tabulate (Graph.vertices graph, fn v =>
       Graph.foldNeighbours (graph, v) (fn (w, count) => count + Graph.common (graph, v, w)) 0))

val () =
  Twin.main 200000 (fn n =>
    let val graph = upward (Network.graph n)
    in (fn () => triangles graph, Twin.ofInt)
    end)
