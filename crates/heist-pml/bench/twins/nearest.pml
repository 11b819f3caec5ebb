(* Finds the nearest neighbour of each point in a square, with a grid. Argument: points (200000). *)

(* Returns the column or row of a coordinate. *)
fun column (x, side) = Int.min (Real.trunc ((x + 1.0) / 2.0 * real side), side - 1)

(* Returns the positions at which the points of each cell begin, and the end; and the numbers of the points, sorted by cell. *)
fun grid (xs, ys, side) =
  let
    val n = Seq.length xs
    fun cell i = column (Seq.sub (ys, i), side) * side + column (Seq.sub (xs, i), side)
    val keys = Seq.sort Int.compare (Seq.tabulate (n, fn i => cell i * n + i))
    (* Returns the number of keys that are less than a number. *)
    fun below (key, low, high) =
      if low >= high then low
      else
        let val middle = (low + high) div 2
        in if Seq.sub (keys, middle) < key then below (key, middle + 1, high) else below (key, low, middle)
        end
  in
    (Seq.tabulate (side * side + 1, fn c => below (c * n, 0, n)), Seq.map (fn key => key mod n) keys)
  end

fun nearest (xs, ys, side, (starts, points)) i =
  let
    val (x, y) = (Seq.sub (xs, i), Seq.sub (ys, i))
    val (cx, cy) = (column (x, side), column (y, side))
    fun inCell (k, stop, best, least) =
      if k >= stop then (best, least)
      else
        let
          val j = Seq.sub (points, k)
          val (dx, dy) = (Seq.sub (xs, j) - x, Seq.sub (ys, j) - y)
          val d = dx * dx + dy * dy
        in
          if j <> i andalso (d < least orelse Real.== (d, least) andalso j < best) then inCell (k + 1, stop, j, d)
          else inCell (k + 1, stop, best, least)
        end
    fun inRow (row, column, last, step, best, least) =
      if column > last then (best, least)
      else
        let
          val (best, least) =
            if column >= 0 andalso column < side then
              let val cell = row * side + column
              in inCell (Seq.sub (starts, cell), Seq.sub (starts, cell + 1), best, least)
              end
            else (best, least)
        in
          inRow (row, column + step, last, step, best, least)
        end
    fun inRing (ring, row, last, best, least) =
      if row > last then (best, least)
      else
        let
          val step = if ring = 0 orelse abs (row - cy) = ring then 1 else 2 * ring
          val (best, least) = inRow (row, cx - ring, cx + ring, step, best, least)
        in
          inRing (ring, row + 1, last, best, least)
        end
    fun rings (ring, best, least) =
      if ring >= side then best
      else
        let
          val (best, least) =
            inRing (ring, Int.max (cy - ring, 0), Int.min (cy + ring, side - 1), best, least)
          val seen = real ring * (2.0 / real side)
        in
          if least < seen * seen then best else rings (ring + 1, best, least)
        end
  in
    rings (0, i, Real.posInf)
  end

val () =
  Twin.main 200000 (fn n =>
    let
      val xs = Seq.tabulate (n, fn i => Twin.unit (14, i))
      val ys = Seq.tabulate (n, fn i => Twin.unit (15, i))
      val side = Int.max (Real.trunc (Math.sqrt (real n / 2.0)), 1)
      fun all () =
        let val grid = grid (xs, ys, side)
        in Seq.tabulate (n, nearest (xs, ys, side, grid))
        end
    in
      (all, fn found => Twin.checksum (n, fn i => Twin.ofInt (Seq.sub (found, i))))
    end)
