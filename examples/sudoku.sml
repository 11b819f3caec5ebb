(* Sudoku by search. The search first tries the empty field with the fewest candidates. Candidates are bits of a word.
   Argument: number of times that the program solves the puzzles (20). *)

structure Grid :> sig
  type t
  val parse : string -> t
  val solve : t -> (t * int) option (* a solution, and the number of tried values *)
  val toString : t -> string
end = struct
  (* The values of the fields (0 if empty), and the sets of values in each row, column and box. *)
  type t = {fields : int array, rows : word array, columns : word array, boxes : word array}

  fun box i = i div 27 * 3 + i mod 9 div 3
  fun bit v = Word.<< (0w1, Word.fromInt v)

  fun put ({fields, rows, columns, boxes} : t, i, v) =
    let
      val b = bit v
      fun add (sets, k) = Array.update (sets, k, Word.orb (Array.sub (sets, k), b))
    in
      Array.update (fields, i, v);
      add (rows, i div 9);
      add (columns, i mod 9);
      add (boxes, box i)
    end

  fun clear ({fields, rows, columns, boxes} : t, i) =
    let
      val keep = Word.notb (bit (Array.sub (fields, i)))
      fun remove (sets, k) = Array.update (sets, k, Word.andb (Array.sub (sets, k), keep))
    in
      Array.update (fields, i, 0);
      remove (rows, i div 9);
      remove (columns, i mod 9);
      remove (boxes, box i)
    end

  fun new () : t =
    {fields = Array.array (81, 0),
     rows = Array.array (9, 0w0),
     columns = Array.array (9, 0w0),
     boxes = Array.array (9, 0w0)}

  fun parse text =
    let
      val grid = new ()
      fun go (i, c) =
        if Char.isDigit c andalso c <> #"0" then put (grid, i, ord c - ord #"0") else ()
    in
      CharVector.appi go text;
      grid
    end

  fun copy (grid : t) =
    let
      val other = new ()
    in
      Array.appi (fn (i, v) => if v > 0 then put (other, i, v) else ()) (#fields grid);
      other
    end

  fun candidates ({rows, columns, boxes, ...} : t, i) =
    Word.andb
      (0wx3fe,
       Word.notb
         (Word.orb
            (Array.sub (rows, i div 9),
             Word.orb (Array.sub (columns, i mod 9), Array.sub (boxes, box i)))))

  fun count (0w0, n) = n
    | count (set, n) = count (Word.andb (set, set - 0w1), n + 1)

  (* Returns the number of the empty field with the fewest candidates, and the candidates. *)
  fun best grid =
    let
      fun go (81, i, set, _) = (i, set)
        | go (k, i, set, least) =
            if Array.sub (#fields grid, k) > 0 then
              go (k + 1, i, set, least)
            else
              let
                val here = candidates (grid, k)
                val n = count (here, 0)
              in
                if n < least then
                  (if n = 0 then (k, here) else go (k + 1, k, here, n))
                else
                  go (k + 1, i, set, least)
              end
    in
      go (0, ~1, 0w0, 10)
    end

  fun solve start =
    let
      val grid = copy start
      val tried = ref 0
      fun search () =
        case best grid of
            (~1, _) => true
          | (i, set) =>
              let
                fun try v =
                  v <= 9
                    andalso (if Word.andb (set, bit v) = 0w0 then
                       try (v + 1)
                     else
                       (tried := !tried + 1;
                        put (grid, i, v);
                        search () orelse (clear (grid, i); try (v + 1))))
              in
                try 1
              end
    in
      if search () then SOME (grid, !tried) else NONE
    end

  fun toString (grid : t) = String.concat (map Int.toString (Array.foldr op :: [] (#fields grid)))
end

val puzzles =
  ["53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79",
   "4.....8.5.3..........7......2.....6.....8.4......1.......6.3.7.5..2.....1.4......",
   "..............3.85..1.2.......5.7.....4...1...9.......5......73..2.1........4...9",
   "8..........36......7..9.2...5...7.......457.....1...3...1....68..85...1..9....4..",
   "1....7.9..3..2...8..96..5....53..9...1..8...26....4...3......1..4......7..7...3.."]

fun main () =
  let
    val n = case CommandLine.arguments () of s :: _ => valOf (Int.fromString s) | [] => 20
    fun report puzzle =
      case Grid.solve (Grid.parse puzzle) of
          SOME (solution, tried) =>
            print (Grid.toString solution ^ " after " ^ Int.toString tried ^ "\n")
        | NONE => print "no solution\n"
    fun again 0 = ()
      | again k = (app (fn p => ignore (Grid.solve (Grid.parse p))) puzzles; again (k - 1))
  in
    again (n - 1);
    app report puzzles
  end

val () = main ()
