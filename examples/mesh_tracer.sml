(* A ray tracer for a mesh of triangles: a torus of 3n^2 triangles, in a tree of boxes. Each box is split at the median.
   Arguments: width of the image (160), n (60), a file for the image (PGM). *)

type vec = real * real * real

fun sub ((a, b, c) : vec, (x, y, z) : vec) : vec = (a - x, b - y, c - z)
fun dot ((a, b, c) : vec, (x, y, z) : vec) = a * x + b * y + c * z
fun cross ((a, b, c) : vec, (x, y, z) : vec) : vec = (b * z - c * y, c * x - a * z, a * y - b * x)
fun scale (k : real, (x, y, z) : vec) : vec = (k * x, k * y, k * z)
fun add ((a, b, c) : vec, (x, y, z) : vec) : vec = (a + x, b + y, c + z)
fun unit v = scale (1.0 / Math.sqrt (dot (v, v)), v)

(* A corner, and the two edges that begin there. *)
type triangle = {corner : vec, edge1 : vec, edge2 : vec}
type box = {low : vec, high : vec}

datatype tree =
    Leaf of box * triangle list
  | Branch of box * tree * tree

fun lower ((a, b, c) : vec, (x, y, z) : vec) : vec =
  (Real.min (a, x), Real.min (b, y), Real.min (c, z))
fun upper ((a, b, c) : vec, (x, y, z) : vec) : vec =
  (Real.max (a, x), Real.max (b, y), Real.max (c, z))

fun boxOf ({corner, edge1, edge2} : triangle) : box =
  let
    val p = add (corner, edge1)
    val q = add (corner, edge2)
  in
    {low = lower (corner, lower (p, q)), high = upper (corner, upper (p, q))}
  end

fun both ({low, high} : box, {low = low', high = high'} : box) : box =
  {low = lower (low, low'), high = upper (high, high')}

fun boxOfAll [] = raise Empty
  | boxOfAll (t :: ts) = foldl (fn (t, box) => both (boxOf t, box)) (boxOf t) ts

fun centre axis ({corner, edge1, edge2} : triangle) =
  let
    val (x, y, z) = add (scale (3.0, corner), add (edge1, edge2))
  in
    case axis of 0 => x | 1 => y | _ => z
  end

fun sort less ts =
  let
    fun merge ([], b) = b
      | merge (a, []) = a
      | merge (a as x :: a', b as y :: b') =
          if less (y, x) then y :: merge (a, b') else x :: merge (a', b)
    fun split ([], a, b) = (a, b)
      | split (x :: rest, a, b) = split (rest, x :: b, a)
    fun go [] = []
      | go [x] = [x]
      | go xs = let val (a, b) = split (xs, [], []) in merge (go a, go b) end
  in
    go ts
  end

(* Splits along the three axes in turn. *)
fun build (axis, ts) =
  let
    val box = boxOfAll ts
    val n = length ts
    val next = (axis + 1) mod 3
  in
    if n <= 4 then
      Leaf (box, ts)
    else
      let
        val sorted = sort (fn (t, u) => centre axis t < centre axis u) ts
      in
        Branch
          (box,
           build (next, List.take (sorted, n div 2)),
           build (next, List.drop (sorted, n div 2)))
      end
  end

(* Returns true if the ray meets the box before `far`. The third argument has the inverses of the ray's direction. *)
fun meetsBox
    ({low = (lx, ly, lz), high = (hx, hy, hz)} : box,
     (x, y, z) : vec,
     (ix, iy, iz) : vec,
     far : real) =
  let
    val a = (lx - x) * ix
    val b = (hx - x) * ix
    val near = if a < b then a else b
    val until = if a < b then b else a
    val a = (ly - y) * iy
    val b = (hy - y) * iy
    val near = if a < b then (if a > near then a else near) else (if b > near then b else near)
    val until = if a < b then (if b < until then b else until) else (if a < until then a else until)
    val a = (lz - z) * iz
    val b = (hz - z) * iz
    val near = if a < b then (if a > near then a else near) else (if b > near then b else near)
    val until = if a < b then (if b < until then b else until) else (if a < until then a else until)
  in
    near <= until andalso until > 0.0 andalso near < far
  end

(* Returns the distance of the triangle (Moeller and Trumbore), or `far` if the ray misses it. *)
fun distance ({corner, edge1, edge2} : triangle, from, way, far) =
  let
    val p = cross (way, edge2)
    val det = dot (edge1, p)
  in
    if Real.abs det < 1E~9 then
      far
    else
      let
        val inverse = 1.0 / det
        val t = sub (from, corner)
        val u = dot (t, p) * inverse
      in
        if u < 0.0 orelse u > 1.0 then
          far
        else
          let
            val q = cross (t, edge1)
            val v = dot (way, q) * inverse
          in
            if v < 0.0 orelse u + v > 1.0 then
              far
            else
              let
                val d = dot (edge2, q) * inverse
              in
                if d > 1E~5 andalso d < far then d else far
              end
          end
      end
  end

(* Returns the nearest triangle and its distance. *)
fun nearest (tree, from, way as (dx, dy, dz)) =
  let
    val inverse = (1.0 / dx, 1.0 / dy, 1.0 / dz)
    fun go (Leaf (box, ts), far, found) =
      if meetsBox (box, from, inverse, far) then all (ts, far, found) else (far, found)
      | go (Branch (box, a, b), far, found) =
          if meetsBox (box, from, inverse, far) then
            let
              val (far, found) = go (a, far, found)
            in
              go (b, far, found)
            end
          else
            (far, found)
    and all ([], far, found) = (far, found)
      | all (t :: ts, far, found) =
          let
            val d = distance (t, from, way, far)
          in
            if d < far then all (ts, d, SOME t) else all (ts, far, found)
          end
  in
    go (tree, 1E30, NONE)
  end

fun torus n =
  let
    val turn = 6.283185307179586
    fun point (i, j) : vec =
      let
        val a = turn * real (i mod (3 * n)) / real (3 * n)
        val b = turn * real (j mod (n div 2)) / real (n div 2)
        val r = 2.0 + 0.8 * Math.cos b
      in
        (r * Math.cos a, 0.8 * Math.sin b, r * Math.sin a)
      end
    fun face (i, j) =
      let
        val p = point (i, j)
        val q = point (i + 1, j)
        val r = point (i, j + 1)
        val s = point (i + 1, j + 1)
      in
        [{corner = p, edge1 = sub (q, p), edge2 = sub (r, p)},
         {corner = s, edge1 = sub (r, s), edge2 = sub (q, s)}]
      end
  in
    List.concat
      (List.tabulate (3 * n, fn i => List.concat (List.tabulate (n div 2, fn j => face (i, j)))))
  end

val lamp = unit (1.0, 2.0, ~1.5)

fun shade (tree, from, way) =
  case nearest (tree, from, way) of
      (_, NONE) => 20
    | (d, SOME {edge1, edge2, ...}) =>
        let
          val normal = unit (cross (edge1, edge2))
          val facing = Real.abs (dot (normal, lamp))
          val p = add (from, scale (d * 0.9999, way))
          val lit = case nearest (tree, p, lamp) of (_, NONE) => facing | _ => 0.0
        in
          Real.trunc (40.0 + 210.0 * lit)
        end

fun render (tree, width) =
  let
    val from = (0.3, 3.5, ~4.5)
    fun across k = real (2 * k + 1 - width) / real width
    fun pixel i =
      let
        val sx = across (i mod width)
        val sy = across (i div width)
      in
        shade (tree, from, unit (sx + 0.0001, ~0.72 - 0.75 * sy, 1.0 - 0.3 * sy))
      end
  in
    Array.tabulate (width * width, pixel)
  end

fun main () =
  let
    val arguments = CommandLine.arguments ()
    val (width, n) =
      case List.mapPartial Int.fromString arguments of
          [] => (160, 60)
        | [w] => (w, 60)
        | w :: n :: _ => (w, n)
    val mesh = torus n
    val image = render (build (0, mesh), width)
    val sum = Array.foldl op + 0 image
    val bright = Array.foldl (fn (v, k) => if v > 40 then k + 1 else k) 0 image
    fun write file =
      let
        val out = TextIO.openOut file
      in
        TextIO.output (out, "P5\n" ^ Int.toString width ^ " " ^ Int.toString width ^ "\n255\n");
        Array.app (fn v => TextIO.output1 (out, chr v)) image;
        TextIO.closeOut out
      end
  in
    print
      (Int.toString (length mesh) ^ " triangles, " ^ Int.toString bright
         ^ " bright pixels, check sum " ^ Int.toString sum ^ "\n");
    case arguments of _ :: _ :: file :: _ => write file | _ => ()
  end

val () = main ()
