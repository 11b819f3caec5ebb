(* Points of the plane. The functions decide exactly on which side of a line or a circle a point is. They compute with reals if the
   rounding error cannot change the answer (Shewchuk, Adaptive precision floating-point arithmetic, 1997), and with long integers
   otherwise. *)

signature GEOMETRY =
sig
  type point = real * real
  datatype turn = LEFT | STRAIGHT | RIGHT
  (* Returns the direction of the turn at the second point, on the way from the first point to the third. Raises Domain if a coordinate
     is not finite. *)
  val turn : point * point * point -> turn
  (* Returns true if the last point is inside of the circle through the other three points, which must turn left. Raises Domain if a
     coordinate is not finite. *)
  val inCircle : point * point * point * point -> bool
  (* Returns twice the area of the triangle, as a negative number if the triangle turns right. Unlike the functions above, this function
     rounds. *)
  val area2 : point * point * point -> real
  val distance : point * point -> real
  (* Returns the square of the distance. *)
  val distance2 : point * point -> real
  (* Compares the first coordinates, and then the second coordinates. *)
  val compare : point * point -> order
  (* Returns the smallest and the largest coordinates. Raises Empty. *)
  val bounds : point parray -> point * point
  (* Returns the numbers of the corners of the convex hull. The corners turn left and begin with the smallest point by `compare`. Of
     equal points, the result has the first. *)
  val hull : point parray -> int parray
end

structure Geometry :> GEOMETRY =
struct
  type point = real * real
  datatype turn = LEFT | STRAIGHT | RIGHT

  fun distance2 ((ax, ay) : point, (bx, by) : point) =
    let
      val dx = bx - ax
      val dy = by - ay
    in
      dx * dx + dy * dy
    end
  fun distance ab = Math.sqrt (distance2 ab)
  fun area2 ((ax, ay) : point, (bx, by) : point, (cx, cy) : point) = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)

  (* Returns coordinates as multiples of one power of two. *)
  fun exact coordinates =
    let
      val parts =
        List.map (fn x => if Real.isFinite x then Real.toManExp x else raise Domain) coordinates
      val least = List.foldl (fn ({man, exp}, e) => if Real.== (man, 0.0) then e else Int.min (exp, e)) 2000 parts
      fun whole {man, exp} =
        if Real.== (man, 0.0) then IntInf.fromInt 0
        else IntInf.<< (Real.toLargeInt IEEEReal.TO_NEAREST (man * 9007199254740992.0), Word.fromInt (exp - least))
    in
      List.map whole parts
    end
  fun sign n = IntInf.sign n

  val epsilon = 1.1102230246251565E~16

  fun turnOf s = if s > 0 then LEFT else if s < 0 then RIGHT else STRAIGHT
  fun exactTurn ((ax, ay), (bx, by), (cx, cy)) =
    case exact [ax, ay, bx, by, cx, cy] of
      [ax, ay, bx, by, cx, cy] => turnOf (sign ((bx - ax) * (cy - ay) - (by - ay) * (cx - ax)))
    | _ => STRAIGHT
  fun turn (abc as ((ax, ay), (bx, by), (cx, cy)) : point * point * point) =
    let
      val left = (ax - cx) * (by - cy)
      val right = (ay - cy) * (bx - cx)
      val sum = left - right
      val bound = (3.0 + 16.0 * epsilon) * epsilon * (Real.abs left + Real.abs right)
    in
      if sum > bound then LEFT else if sum < ~ bound then RIGHT else exactTurn abc
    end

  fun exactInCircle ((ax, ay), (bx, by), (cx, cy), (dx, dy)) =
    case exact [ax, ay, bx, by, cx, cy, dx, dy] of
      [ax, ay, bx, by, cx, cy, dx, dy] =>
        let
          fun lift (x, y) = x * x + y * y : IntInf.int
          val (ax, ay, bx, by, cx, cy) = (ax - dx, ay - dy, bx - dx, by - dy, cx - dx, cy - dy)
        in
          sign (lift (ax, ay) * (bx * cy - by * cx) + lift (bx, by) * (cx * ay - cy * ax) + lift (cx, cy) * (ax * by - ay * bx)) > 0
        end
    | _ => false
  fun inCircle (abcd as ((ax, ay), (bx, by), (cx, cy), (dx, dy)) : point * point * point * point) =
    let
      val (adx, ady, bdx, bdy, cdx, cdy) = (ax - dx, ay - dy, bx - dx, by - dy, cx - dx, cy - dy)
      fun lift (x, y) = x * x + y * y : real
      fun minor (x, y, x', y') = (x * y' - y * x', Real.abs (x * y') + Real.abs (y * x'))
      val (bc, bcSize) = minor (bdx, bdy, cdx, cdy)
      val (ca, caSize) = minor (cdx, cdy, adx, ady)
      val (ab, abSize) = minor (adx, ady, bdx, bdy)
      val (a, b, c) = (lift (adx, ady), lift (bdx, bdy), lift (cdx, cdy))
      val sum = a * bc + b * ca + c * ab
      val bound = (10.0 + 96.0 * epsilon) * epsilon * (a * bcSize + b * caSize + c * abSize)
    in
      if sum > bound then true else if sum < ~ bound then false else exactInCircle abcd
    end

  fun compare ((ax, ay), (bx, by)) = case Real.compare (ax, bx) of EQUAL => Real.compare (ay, by) | other => other

  fun bounds points =
    if PArray.length points = 0 then raise Empty
    else
      let val first = PArray.sub (points, 0)
      in
        PArray.reduce
          (fn (((ax, ay), (bx, by)), ((cx, cy), (dx, dy))) =>
             ((Real.min (ax, cx), Real.min (ay, cy)), (Real.max (bx, dx), Real.max (by, dy))))
          (first, first)
          (PArray.map (fn p => (p, p)) points)
      end

  (* Andrew's monotone chain. The lower chain of each half of the sorted points is a list that begins with the chain's last point. To
     join two chains, the function adds points of the right chain to the left chain one by one, until they turn left without changes. *)
  fun hull points =
    let
      fun at i = PArray.sub (points, i)
      val sorted =
        Seq.sort
          (fn (i, j) => case compare (at i, at j) of EQUAL => Int.compare (i, j) | other => other)
          (Seq.range (0, PArray.length points - 1))
      val sorted =
        Seq.filteri (fn (k, i) => k = 0 orelse compare (at (PArray.sub (sorted, k - 1)), at i) <> EQUAL) sorted
      val n = PArray.length sorted
      fun push (i, chain as j :: (rest as k :: _)) =
            if turn (at k, at j, at i) = LEFT then i :: chain else push (i, rest)
        | push (i, chain) = i :: chain
      fun chain (get, lo, hi) =
        if hi - lo = 1 then [get lo]
        else
          let
            val m = lo + (hi - lo) div 2
            val (left, right) = (| chain (get, lo, m), chain (get, m, hi) |)
          in
            List.foldr push left right
          end
      fun lower k = PArray.sub (sorted, k)
      fun upper k = PArray.sub (sorted, n - 1 - k)
    in
      if n < 3 then sorted
      else
        let val (below, above) = (| chain (lower, 0, n), chain (upper, 0, n) |)
        in PArray.fromList (List.rev (List.tl below) @ List.rev (List.tl above))
        end
    end
end
