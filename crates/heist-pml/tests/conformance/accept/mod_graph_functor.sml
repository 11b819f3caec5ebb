(* Graph algorithms over an abstract vertex: depth-first order, cycles, components. *)
signature GRAPH = sig eqtype vertex val vertices : vertex list val next : vertex -> vertex list val show : vertex -> string end
functor Algorithms (G : GRAPH) = struct
  fun mem x = List.exists (fn y => x = y)
  fun dfs starts = let fun go (v, seen) = if mem v seen then seen else foldl go (v :: seen) (G.next v) in rev (foldl go [] starts) end
  exception Cycle of G.vertex list
  fun topological () =
    let
      val done = ref []
      fun visit path v = if mem v path then raise Cycle (v :: path) else if mem v (!done) then () else (app (visit (v :: path)) (G.next v); done := v :: !done)
    in app (visit []) G.vertices; !done end
  fun names vs = concat (map G.show vs)
end
structure Dag = struct type vertex = int val vertices = [1, 2, 3, 4, 5, 6] fun next 1 = [2, 3] | next 2 = [4] | next 3 = [4, 5] | next 5 = [6] | next _ = [] val show = Int.toString end
structure Loop = struct datatype v = A | B | C type vertex = v val vertices = [A, B, C] fun next A = [B] | next B = [C] | next C = [B] fun show A = "A" | show B = "B" | show C = "C" end
structure D = Algorithms (Dag) structure L = Algorithms (Loop)
val () = print (D.names (D.dfs [1]) ^ " " ^ D.names (D.topological ()) ^ " " ^ L.names (L.dfs [Loop.C]) ^ " " ^ (L.names (L.topological ()) handle L.Cycle vs => "cycle " ^ L.names vs) ^ "\n")
