(* A simple ray tracer without an acceleration structure: spheres over a chequered floor, two lamps, mirrors. It renders a square image
   as a parallel array of parallel arrays, and writes it as a PPM file.
   Arguments: width of the image (256), the file (default: no file, only a checksum). *)

type vec = real * real * real

fun add ((a, b, c) : vec, (x, y, z) : vec) : vec = (a + x, b + y, c + z)
fun sub ((a, b, c) : vec, (x, y, z) : vec) : vec = (a - x, b - y, c - z)
fun scale (k : real, (x, y, z) : vec) : vec = (k * x, k * y, k * z)
fun mul ((a, b, c) : vec, (x, y, z) : vec) : vec = (a * x, b * y, c * z)
fun dot ((a, b, c) : vec, (x, y, z) : vec) = a * x + b * y + c * z
fun unit v = scale (1.0 / Math.sqrt (dot (v, v)), v)

datatype surface = Plain of vec | Chequered of vec * vec
datatype object =
    Sphere of {centre : vec, radius : real, surface : surface, mirror : real}
  | Floor of {height : real, surface : surface, mirror : real}

(* Returns the distance at which a ray meets an object, if the object is ahead. *)
fun meets (from, way) (Sphere {centre, radius, ...}) =
  let
    val oc = sub (from, centre)
    val b = dot (oc, way)
    val c = dot (oc, oc) - radius * radius
    val d = b * b - c
  in
    if d < 0.0 then
      NONE
    else
      let
        val root = Math.sqrt d
        val near = ~b - root
        val far = ~b + root
      in
        if near > 0.0001 then SOME near else if far > 0.0001 then SOME far else NONE
      end
  end
  | meets ((_, y, _), (_, dy, _)) (Floor {height, ...}) =
      let
        val t = (height - y) / dy
      in
        if t > 0.0001 andalso t < 1000.0 then SOME t else NONE
      end

fun nearest (ray, objects) =
  let
    fun go ([], best) = best
      | go (object :: rest, best) =
          (case (meets ray object, best) of
               (NONE, _) => go (rest, best)
             | (SOME t, SOME (u, _)) => go (rest, if t < u then SOME (t, object) else best)
             | (SOME t, NONE) => go (rest, SOME (t, object)))
  in
    go (objects, NONE)
  end

fun normal (Sphere {centre, radius, ...}, p) = scale (1.0 / radius, sub (p, centre))
  | normal (Floor _, _) = (0.0, 1.0, 0.0)

fun colour (Plain c, _) = c
  | colour (Chequered (c, d), (x, _, z)) = if (floor x + floor z) mod 2 = 0 then c else d

fun surfaceOf (Sphere {surface, mirror, ...}) = (surface, mirror)
  | surfaceOf (Floor {surface, mirror, ...}) = (surface, mirror)

val lamps : (vec * vec) list =
  [((~4.0, 6.0, ~3.0), (0.7, 0.7, 0.6)), ((5.0, 4.0, ~4.0), (0.3, 0.3, 0.5))]

fun sky ((_, y, _) : vec) : vec = add ((0.55, 0.65, 0.85), scale (0.15 * y, (1.0, 1.0, 1.0)))

fun trace (objects, ray as (from, way), depth) : vec =
  case nearest (ray, objects) of
      NONE => sky way
    | SOME (t, object) =>
        let
          val p = add (from, scale (t, way))
          val n = normal (object, p)
          val (surface, mirror) = surfaceOf object
          val base = colour (surface, p)
          fun light ((place, strength), sum) =
            let
              val toLamp = sub (place, p)
              val distance = Math.sqrt (dot (toLamp, toLamp))
              val way = scale (1.0 / distance, toLamp)
              val facing = dot (n, way)
              val shaded =
                facing <= 0.0
                  orelse (case nearest ((p, way), objects) of
                       SOME (t, _) => t < distance
                     | NONE => false)
            in
              if shaded then sum else add (sum, scale (facing, mul (base, strength)))
            end
          val lit = foldl light (scale (0.1, base)) lamps
        in
          if mirror <= 0.0 orelse depth = 0 then
            lit
          else
            let
              val reflected = sub (way, scale (2.0 * dot (way, n), n))
              val seen = trace (objects, (p, unit reflected), depth - 1)
            in
              add (scale (1.0 - mirror, lit), scale (mirror, seen))
            end
        end

val scene =
  Floor {height = 0.0, surface = Chequered ((0.9, 0.9, 0.9), (0.2, 0.3, 0.2)), mirror = 0.2}
    :: List.tabulate (12,
       fn i =>
         let
           val angle = real i * 0.5235987755982988
           val r = 0.35 + 0.05 * real (i mod 3)
         in
           Sphere
             {centre = (2.2 * Math.cos angle, r, 2.2 * Math.sin angle),
              radius = r,
              surface = Plain (0.3 + 0.05 * real i, 0.9 - 0.06 * real i, 0.5),
              mirror = 0.1}
         end)
    @ [Sphere
       {centre = (0.0, 1.1, 0.0), radius = 1.1, surface = Plain (0.9, 0.8, 0.7), mirror = 0.7}]

fun pixel (size, x, y) =
  let
    val from = (0.0, 2.0, ~6.0)
    fun across k = real (2 * k + 1 - size) / real size
    val way = unit (across x, ~0.25 - across y, 1.8)
  in
    trace (scene, (from, way), 4)
  end

fun raytrace size =
  [| [| pixel (size, x, y) | x in [| 0 to size - 1 |] |] | y in [| 0 to size - 1 |] |]

fun byte c = Int.max (0, Int.min (255, Real.trunc (c * 255.0)))

fun write (file, size, image) =
  let
    val out = TextIO.openOut file
    fun put (r, g, b) = app (fn c => TextIO.output1 (out, chr (byte c))) [r, g, b]
  in
    TextIO.output (out, "P6\n" ^ Int.toString size ^ " " ^ Int.toString size ^ "\n255\n");
    PArray.app (fn row => PArray.app put row) image;
    TextIO.closeOut out
  end

fun main () =
  let
    val (size, file) =
      case CommandLine.arguments () of
          [] => (256, NONE)
        | [s] => (valOf (Int.fromString s), NONE)
        | s :: file :: _ => (valOf (Int.fromString s), SOME file)
    val image = raytrace size
    fun weight (r, g, b) = byte r + 3 * byte g + 5 * byte b
    val total = reduceP (op +) 0 [| reduceP (op +) 0 [| weight c | c in row |] | row in image |]
  in
    print
      (Int.toString size ^ " x " ^ Int.toString size ^ " pixels, check sum " ^ Int.toString total
         ^ "\n");
    case file of SOME file => write (file, size, image) | NONE => ()
  end

val () = main ()
