(* Graphs in compressed rows: the targets of the arcs of vertex 0, then those of vertex 1, and so on. *)

signature GRAPH =
sig
  type graph
  (* Vertices are numbered from 0. The graph has an arc from each vertex to each of its neighbours; neighbours are sorted, and each arc
     occurs once. Raises Subscript if an end of an arc is not a vertex. *)
  val fromArcs : int * (int * int) parray -> graph
  (* As `fromArcs`, but has each arc in both directions, and no arcs from a vertex to itself. *)
  val fromEdges : int * (int * int) parray -> graph
  (* `tabulate (n, degree, target)`: arc k of vertex v goes to `target (v, k)`. The function neither sorts nor checks the arcs. *)
  val tabulate : int * (int -> int) * (int * int -> int) -> graph
  (* Return the number of vertices and the number of arcs. *)
  val vertices : graph -> int
  val arcs : graph -> int
  val degree : graph * int -> int
  (* `neighbour (g, v, k)` returns the target of arc k of v. *)
  val neighbour : graph * int * int -> int
  val neighbours : graph * int -> int parray
  (* These functions run in sequence, because loops over vertices run in parallel. *)
  val foldNeighbours : graph * int -> (int * 'a -> 'a) -> 'a -> 'a
  val allNeighbours : graph * int -> (int -> bool) -> bool
  (* Keeps the arcs that the function accepts. *)
  val filter : (int * int -> bool) -> graph -> graph
  (* Returns the number of common neighbours of two vertices. Both lists of neighbours must be sorted. *)
  val common : graph * int * int -> int
  (* Returns the distance of each vertex from one vertex, in arcs, or ~1 if no path leads to it. *)
  val distances : graph * int -> int parray
  (* Returns a tree of shortest paths: for each vertex, the vertex before it. The root has itself, and a vertex to which no path leads
     has ~1. If several trees are possible, the schedule decides which of them the function returns. *)
  val parents : graph * int -> int parray
  (* The format of the Problem Based Benchmark Suite: a line `AdjacencyGraph`, the numbers of vertices and arcs, the positions at which
     the arcs of each vertex begin, and the targets. Raises Fail, with a reason, and Io. *)
  val fromString : string -> graph
  val toString : graph -> string
  val read : string -> graph
  val write : string * graph -> unit
end

structure Graph :> GRAPH =
struct
  structure A = Core.Array
  val add = Core.Int.add
  (* The positions at which the arcs of each vertex begin, then the end; and the targets. *)
  type graph = int parray * int parray

  fun at (a, i) = Core.Vector.sub (PArray.toVector a, i)
  fun make (n, f) = PArray.fromVector (ParLoop.tabulate (n, f))
  fun vertex (n, v) = if Core.Int.within (v, n) then v else raise Subscript

  fun vertices ((starts, _) : graph) = PArray.length starts - 1
  fun arcs ((_, targets) : graph) = PArray.length targets
  fun start ((starts, _) : graph, v) = at (starts, v)
  fun checked (g, v) = vertex (vertices g, v)
  fun degree (g, v) = let val v = checked (g, v) in start (g, add (v, 1)) - start (g, v) end
  fun neighbour (g as (_, targets) : graph, v, k) =
    if Core.Int.within (k, degree (g, v)) then at (targets, add (start (g, v), k)) else raise Subscript
  fun neighbours (g as (_, targets), v) =
    let val first = start (g, checked (g, v))
    in make (degree (g, v), fn k => at (targets, add (first, k)))
    end
  fun foldNeighbours (g as (_, targets), v) f x =
    let
      val v = checked (g, v)
      val stop = start (g, add (v, 1))
      fun go (i, x) = if i >= stop then x else go (add (i, 1), f (at (targets, i), x))
    in
      go (start (g, v), x)
    end
  fun allNeighbours (g as (_, targets), v) f =
    let
      val v = checked (g, v)
      val stop = start (g, add (v, 1))
      fun go i = i >= stop orelse f (at (targets, i)) andalso go (add (i, 1))
    in
      go (start (g, v))
    end

  (* Returns the starts of lists with these lengths, and the end of the last list. *)
  fun prefixes (n, length) =
    let val (before', all) = Seq.scanTotal Core.Int.+ 0 (make (n, length))
    in make (n + 1, fn v => if v = n then all else at (before', v))
    end

  fun tabulate (n, degree, target) =
    let
      val starts = prefixes (n, degree)
      val all = at (starts, n)
      val targets = A.new (all, 0)
    in
      ParLoop.each
        ( 0
        , n
        , fn v =>
            let
              val first = at (starts, v)
              val stop = at (starts, v + 1)
              fun go i = if i >= stop then () else (A.update (targets, i, vertex (n, target (v, i - first))); go (add (i, 1)))
            in
              go first
            end );
      (starts, PArray.fromVector (A.freeze targets))
    end

  (* Sorts elements i to n - 1 of an array. *)
  fun sortPart (a : int array, i, n) =
    if n - i > 32 then
      let val sorted = Seq.sort Int.compare (make (n - i, fn k => A.sub (a, add (i, k))))
      in ParLoop.each (0, n - i, fn k => A.update (a, add (i, k), at (sorted, k)))
      end
    else
      let
        fun insert (x, k) =
          if k > i andalso A.sub (a, k - 1) > x then (A.update (a, k, A.sub (a, k - 1)); insert (x, k - 1))
          else A.update (a, k, x)
        fun go k = if k >= n then () else (insert (A.sub (a, k), k); go (add (k, 1)))
      in
        go i
      end

  (* Returns the graph with the arcs `arc 0` to `arc (m - 1)`. An arc from ~1 stands for no arc. *)
  fun build (n, m, arc) =
    let
      val counts = A.new (n, 0)
      val () =
        ParLoop.each
          (0, m, fn k => case arc k of (~1, _) => () | (v, _) => ignore (A.fetchAdd (counts, v, 1)))
      val starts = prefixes (n, fn v => A.sub (counts, v))
      val targets = A.new (at (starts, n), 0)
      val () =
        ParLoop.each
          ( 0
          , m
          , fn k =>
              case arc k of
                (~1, _) => ()
              | (v, w) => A.update (targets, at (starts, v) + A.fetchAdd (counts, v, ~1) - 1, w) )
      val () = ParLoop.each (0, n, fn v => sortPart (targets, at (starts, v), at (starts, v + 1)))
      fun isNew (v, i) = i = at (starts, v) orelse A.sub (targets, i) <> A.sub (targets, i - 1)
      fun count v =
        let
          val stop = at (starts, v + 1)
          fun go (i, n) = if i >= stop then n else go (add (i, 1), if isNew (v, i) then add (n, 1) else n)
        in
          go (at (starts, v), 0)
        end
      val once = prefixes (n, count)
      val all = at (once, n)
      val exact = A.new (all, 0)
      fun copy v =
        let
          val stop = at (starts, v + 1)
          fun go (i, k) =
            if i >= stop then ()
            else if isNew (v, i) then (A.update (exact, k, A.sub (targets, i)); go (add (i, 1), add (k, 1)))
            else go (add (i, 1), k)
        in
          go (at (starts, v), at (once, v))
        end
    in
      ParLoop.each (0, n, copy);
      (once, PArray.fromVector (A.freeze exact))
    end

  fun fromArcs (n, arcs) =
    build (n, PArray.length arcs, fn k => let val (v, w) = at (arcs, k) in (vertex (n, v), vertex (n, w)) end)
  fun fromEdges (n, edges) =
    build
      ( n
      , 2 * PArray.length edges
      , fn k =>
          let
            val (v, w) = at (edges, k div 2)
            val (v, w) = (vertex (n, v), vertex (n, w))
          in
            if v = w then (~1, 0) else if k mod 2 = 0 then (v, w) else (w, v)
          end )

  fun filter keep (g as (_, targets)) =
    let
      val n = vertices g
      fun count v = foldNeighbours (g, v) (fn (w, k) => if keep (v, w) then add (k, 1) else k) 0
      val kept = prefixes (n, count)
      val all = A.new (at (kept, n), 0)
    in
      ParLoop.each
        ( 0
        , n
        , fn v =>
            ignore
              (foldNeighbours (g, v)
                 (fn (w, k) => if keep (v, w) then (A.update (all, k, w); add (k, 1)) else k)
                 (at (kept, v))) );
      (kept, PArray.fromVector (A.freeze all))
    end

  fun common (g as (_, targets), v, w) =
    let
      val (v, w) = (checked (g, v), checked (g, w))
      val (m, n) = (start (g, add (v, 1)), start (g, add (w, 1)))
      fun go (i, j, count) =
        if i >= m orelse j >= n then count
        else
          let
            val x = at (targets, i)
            val y = at (targets, j)
          in
            if x < y then go (add (i, 1), j, count)
            else if y < x then go (i, add (j, 1), count)
            else go (add (i, 1), add (j, 1), add (count, 1))
          end
    in
      go (start (g, v), start (g, w), 0)
    end

  (* Searches level by level. `reach (v, w, level)` returns true if the search reaches w for the first time. *)
  fun search (g, root, reach) =
    let
      fun go (frontier, level) =
        if PArray.length frontier = 0 then ()
        else
          go
            ( Seq.mapMany
                (fn (v, emit) =>
                   foldNeighbours (g, v) (fn (w, ()) => if reach (v, w, level) then emit w else ()) ())
                frontier
            , level + 1 )
    in
      go (Seq.singleton root, 1)
    end
  fun reached (g, root, first, value) =
    let
      val root = checked (g, root)
      val found = A.new (vertices g, ~1)
      val () = A.update (found, root, first)
      fun reach (v, w, level) = A.sub (found, w) = ~1 andalso A.swap (found, w, ~1, value (v, level)) = ~1
    in
      search (g, root, reach);
      PArray.fromVector (A.freeze found)
    end
  fun distances (g, root) = reached (g, root, 0, fn (_, level) => level)
  fun parents (g, root) = reached (g, root, root, fn (v, _) => v)

  fun fromString text =
    let
      val words = ParText.words text
      fun bad why = raise Fail ("no AdjacencyGraph: " ^ why)
      fun number i =
        case Int.fromString (at (words, i)) of
          SOME k => if k >= 0 then k else bad (at (words, i) ^ " is negative")
        | NONE => bad (at (words, i) ^ " is no number")
      val () =
        if PArray.length words >= 3 andalso at (words, 0) = "AdjacencyGraph" then ()
        else bad "the first word must be `AdjacencyGraph`, before two numbers"
      val (n, m) = (number 1, number 2)
      val () = if PArray.length words = 3 + n + m then () else bad "the number of words is not that of vertices and arcs"
      val starts = make (n + 1, fn v => if v = n then m else number (3 + v))
      val () =
        if n > 0 andalso at (starts, 0) <> 0 orelse not (Seq.isSorted Int.compare starts) then bad "the starts are not sorted" else ()
      val targets = make (m, fn k => let val w = number (3 + n + k) in if w < n then w else bad "a target is no vertex" end)
    in
      (starts, targets)
    end
  fun toString (g as (starts, targets)) =
    let
      val n = vertices g
      fun line k = Int.toString k ^ "\n"
    in
      String.concat
        [ "AdjacencyGraph\n"
        , line n
        , line (arcs g)
        , ParText.concat (make (n, fn v => line (at (starts, v))))
        , ParText.concat (PArray.map line targets) ]
    end
  fun read name = fromString (ParText.readFile name)
  fun write (name, g) =
    let val file = TextIO.openOut name
    in
      TextIO.output (file, toString g) handle exn => (TextIO.closeOut file; raise exn);
      TextIO.closeOut file
    end
end
