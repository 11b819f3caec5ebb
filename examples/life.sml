(* Conway's game of life on an unbounded plane. A functor makes the balanced tree with the places of the living cells.
   Arguments: generations (200); any second argument prints the last generation. *)

signature ORDERED = sig
  type t
  val compare : t * t -> order
end

functor Map (Key : ORDERED) :> sig
  type 'a map
  val empty : 'a map
  val find : 'a map * Key.t -> 'a option
  val insertWith : ('a * 'a -> 'a) -> 'a map * Key.t * 'a -> 'a map
  val fold : (Key.t * 'a * 'b -> 'b) -> 'b -> 'a map -> 'b
  val size : 'a map -> int
end = struct
  (* Adams' trees, balanced by size. *)
  datatype 'a map = Leaf | Node of int * 'a map * Key.t * 'a * 'a map

  val empty = Leaf

  fun size Leaf = 0
    | size (Node (n, _, _, _, _)) = n

  fun node (l, k, v, r) = Node (size l + size r + 1, l, k, v, r)

  fun singleLeft (a, k, v, Node (_, b, l, w, c)) = node (node (a, k, v, b), l, w, c)
    | singleLeft (a, k, v, Leaf) = node (a, k, v, Leaf)
  fun singleRight (Node (_, a, k, v, b), l, w, c) = node (a, k, v, node (b, l, w, c))
    | singleRight (Leaf, l, w, c) = node (Leaf, l, w, c)
  fun doubleLeft (a, k, v, Node (_, Node (_, b, l, w, c), m, x, d)) =
    node (node (a, k, v, b), l, w, node (c, m, x, d))
    | doubleLeft all = singleLeft all
  fun doubleRight (Node (_, a, k, v, Node (_, b, l, w, c)), m, x, d) =
    node (node (a, k, v, b), l, w, node (c, m, x, d))
    | doubleRight all = singleRight all

  fun balance (l, k, v, r) =
    let
      val n = size l
      val m = size r
    in
      if n + m < 2 then
        node (l, k, v, r)
      else if m > 4 * n then
        (case r of
             Node (_, a, _, _, b) =>
               if size a < size b then singleLeft (l, k, v, r) else doubleLeft (l, k, v, r)
           | Leaf => node (l, k, v, r))
      else if n > 4 * m then
        (case l of
             Node (_, a, _, _, b) =>
               if size b < size a then singleRight (l, k, v, r) else doubleRight (l, k, v, r)
           | Leaf => node (l, k, v, r))
      else
        node (l, k, v, r)
    end

  fun find (Leaf, _) = NONE
    | find (Node (_, l, k, v, r), key) =
        (case Key.compare (key, k) of
             LESS => find (l, key)
           | GREATER => find (r, key)
           | EQUAL => SOME v)

  fun insertWith f (map, key, value) =
    let
      fun go Leaf = Node (1, Leaf, key, value, Leaf)
        | go (Node (n, l, k, v, r)) =
            (case Key.compare (key, k) of
                 LESS => balance (go l, k, v, r)
               | GREATER => balance (l, k, v, go r)
               | EQUAL => Node (n, l, k, f (v, value), r))
    in
      go map
    end

  fun fold f b Leaf = b
    | fold f b (Node (_, l, k, v, r)) = fold f (f (k, v, fold f b l)) r
end

structure Cells = Map (struct
  type t = int * int
  fun compare ((x, y), (x', y')) =
    case Int.compare (y, y') of
        EQUAL => Int.compare (x, x')
      | other => other
end)

fun alive cells = foldl (fn (cell, map) => Cells.insertWith #1 (map, cell, ())) Cells.empty cells

fun next generation =
  let
    fun around ((x, y), (), counts) =
      foldl (fn ((dx, dy), counts) => Cells.insertWith op + (counts, (x + dx, y + dy), 1)) counts
        [(~1, ~1), (0, ~1), (1, ~1), (~1, 0), (1, 0), (~1, 1), (0, 1), (1, 1)]
    val counts = Cells.fold around Cells.empty generation
    fun live (cell, n, map) =
      if n = 3 orelse (n = 2 andalso isSome (Cells.find (generation, cell))) then
        Cells.insertWith #1 (map, cell, ())
      else
        map
  in
    Cells.fold live Cells.empty counts
  end

fun parse rows =
  let
    fun row (text, (y, cells)) =
      (y + 1,
       #2
         (CharVector.foldl
            (fn (c, (x, cells)) => (x + 1, if c = #"#" then (x, y) :: cells else cells)) (0, cells)
            text))
  in
    #2 (foldl row (0, []) rows)
  end

(* Gosper's gun shoots a glider every 30 generations; the acorn grows for a long time. *)
val gun =
  parse
    ["........................#...........",
     "......................#.#...........",
     "............##......##............##",
     "...........#...#....##............##",
     "##........#.....#...##..............",
     "##........#...#.##....#.#...........",
     "..........#.....#.......#...........",
     "...........#...#....................",
     "............##......................"]

val acorn = map (fn (x, y) => (x + 100, y + 60)) (parse [".#.....", "...#...", "##..###"])

fun show generation =
  let
    fun cell (x, y) = if isSome (Cells.find (generation, (x, y))) then #"#" else #"."
    fun row y = print (CharVector.tabulate (60, fn x => cell (x - 2, y - 2)) ^ "\n")
  in
    app row (List.tabulate (30, fn y => y))
  end

fun main () =
  let
    val arguments = CommandLine.arguments ()
    val n = case arguments of s :: _ => valOf (Int.fromString s) | [] => 200
    fun loop (0, generation) = generation
      | loop (k, generation) = loop (k - 1, next generation)
    val last = loop (n, alive (gun @ acorn))
    val places = Cells.fold (fn ((x, y), (), sum) => sum + 3 * x + 7 * y) 0 last
  in
    if length arguments > 1 then show last else ();
    print
      ("generation " ^ Int.toString n ^ ": " ^ Int.toString (Cells.size last) ^ " cells, check sum "
         ^ Int.toString places ^ "\n")
  end

val () = main ()
