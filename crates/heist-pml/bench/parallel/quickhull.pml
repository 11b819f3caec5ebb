(* The convex hull of points in the plane. Argument: points (400000). *)

type point = real * real

fun distance ((ax, ay) : point, (bx, by) : point) (x, y) =
  (x - ax) * (by - ay) - (y - ay) * (bx - ax)

(* Returns the points of the hull to the right of a line. The result includes the beginning of the line, and excludes its end. *)
fun side (points, a, b) =
  let
    val right = [| (d, p) | (d, p) in [| (distance (a, b) p, p) | p in points |] where d > 0.0 |]
  in
    if lengthP right = 0 then
      [a]
    else
      let
        fun farther (x as (d, _), y as (e, _)) = if e > d then y else x
        val (_, far) = reduceP farther (subP (right, 0)) right
        val rest = [| p | (_, p) in right |]
        val (l, r) = (| side (rest, a, far), side (rest, far, b) |)
      in
        l @ r
      end
  end

fun hull points =
  let
    fun less ((ax, ay) : point, (bx, by) : point) = ax < bx orelse Real.== (ax, bx) andalso ay < by
    val first = subP (points, 0)
    val (left, right) =
      (| reduceP (fn (p, q) => if less (q, p) then q else p) first points,
         reduceP (fn (p, q) => if less (p, q) then q else p) first points |)
    val (l, r) = (| side (points, left, right), side (points, right, left) |)
  in
    l @ r
  end

fun main () =
  let
    val n = case CommandLine.arguments () of s :: _ => valOf (Int.fromString s) | [] => 400000
    fun random k = (k * 1103515245 + 12345) mod 2147483648
    fun point i =
      let
        val (a, b) = (real (random (i * 7919)) / 2147483648.0, real (random (random i)) / 2147483648.0)
        val angle = 6.283185307 * a
        val radius = Math.sqrt b
      in
        (radius * Math.cos angle, radius * Math.sin angle)
      end
  in
    print (Int.toString (length (hull [| point i | i in [| 1 to n |] |])) ^ " corners\n")
  end

val () = main ()
