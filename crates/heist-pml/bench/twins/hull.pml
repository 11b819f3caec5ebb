(* Finds the convex hull of points in a disc by quickhull. Argument: points (1000000). *)

fun hull (xs, ys) =
  let
    (* Returns a number that is positive if the point is to the right of the line, and increases with the distance. *)
    fun beyond (a, b) =
      let
        val (ax, ay) = (Seq.sub (xs, a), Seq.sub (ys, a))
        val (dx, dy) = (Seq.sub (xs, b) - ax, Seq.sub (ys, b) - ay)
      in
        fn p => (Seq.sub (xs, p) - ax) * dy - (Seq.sub (ys, p) - ay) * dx
      end
    (* Returns the corners beyond a line, including its beginning and excluding its end. `points` are the points beyond the line. *)
    fun side (points, a, b) =
      if Seq.isEmpty points then [a]
      else
        let
          val far = beyond (a, b)
          fun farther (p, q) = if far q > far p then q else p
          val far = Seq.reduce farther (Seq.first points) points
          fun half ab = let val far = beyond ab in Seq.filter (fn p => far p > 0.0) points end
          val (l, r) = (| side (half (a, far), a, far), side (half (far, b), far, b) |)
        in
          l @ r
        end
    val n = Seq.length xs
    val all = Delayed.range (0, n - 1)
    fun isBefore (i, j) = Seq.sub (xs, i) < Seq.sub (xs, j)
    val left = Delayed.reduce (fn (i, j) => if isBefore (j, i) then j else i) 0 all
    val right = Delayed.reduce (fn (i, j) => if isBefore (i, j) then j else i) 0 all
    fun half ab =
      let val far = beyond ab
      in Delayed.force (Delayed.filter (fn p => far p > 0.0) all)
      end
    val (l, r) = (| side (half (left, right), left, right), side (half (right, left), right, left) |)
  in
    l @ r
  end

val () =
  Twin.main 1000000 (fn n =>
    let
      val xs = Seq.tabulate (n, fn i => Twin.unit (12, i))
      val ys = Seq.mapi (fn (i, x) => Twin.unit (13, i) * Math.sqrt (1.0 - x * x)) xs
      fun word corners =
        let val corners = Seq.fromList corners
        in Twin.checksum (Seq.length corners, fn i => Twin.ofInt (Seq.sub (corners, i)))
        end
    in
      (fn () => hull (xs, ys), word)
    end)
