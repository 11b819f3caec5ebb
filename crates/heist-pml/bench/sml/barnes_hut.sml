(* The sequential twin of barnes_hut.pml, after prelude.sml. *)

datatype body = Body of {mass : real, x : real, y : real, vx : real, vy : real}

(* The mass and the centre of mass of all bodies below a node. A `Cell` also has the width of its square. *)
datatype tree =
    Empty
  | Single of real * real * real
  | Cell of real * real * real * real * tree * tree * tree * tree

val epsilon = 0.05
val theta = 0.7
val dt = 0.025

fun massOf Empty = (0.0, 0.0, 0.0)
  | massOf (Single m) = m
  | massOf (Cell (m, x, y, _, _, _, _, _)) = (m, x, y)

fun join (width, a, b, c, d) =
  let
    fun plus (t, (m, x, y)) = let val (m', x', y') = massOf t in (m + m', x + m' * x', y + m' * y') end
    val (m, x, y) = plus (a, plus (b, plus (c, plus (d, (0.0, 0.0, 0.0)))))
  in
    Cell (m, x / m, y / m, width, a, b, c, d)
  end

(* Returns the tree of the points in the square whose middle is (cx, cy). Points at the same place become one point. *)
fun build (points, cx, cy, width, depth) =
  case lengthP points of
    0 => Empty
  | 1 => Single (subP (points, 0))
  | n =>
      if depth = 0 then
        let
          val (m, x, y) =
            reduceP (fn ((m, x, y), (m', x', y')) => (m + m', x + x', y + y')) (0.0, 0.0, 0.0)
              (mapP (fn (m, x, y) => (m, m * x, m * y)) points)
        in
          Single (m, x / m, y / m)
        end
      else
        let
          val half = width / 2.0
          val quarter = width / 4.0
          fun part (keep, dx, dy) =
            build (filterP keep points, cx + dx * quarter, cy + dy * quarter, half, depth - 1)
          val (a, b, c, d) =
            (part (fn (_, x, y) => x < cx andalso y < cy, ~1.0, ~1.0),
               part (fn (_, x, y) => x >= cx andalso y < cy, 1.0, ~1.0),
               part (fn (_, x, y) => x < cx andalso y >= cy, ~1.0, 1.0),
               part (fn (_, x, y) => x >= cx andalso y >= cy, 1.0, 1.0))
        in
          join (width, a, b, c, d)
        end

(* Adds the pull of a mass at (mx, my) to the acceleration at (x, y). *)
fun pull (m, mx, my, x, y, ax, ay) =
  let
    val dx = mx - x
    val dy = my - y
    val d2 = dx * dx + dy * dy + epsilon * epsilon
    val k = m / (d2 * Math.sqrt d2)
  in
    (ax + k * dx, ay + k * dy)
  end

fun force (tree, x, y, ax, ay) =
  case tree of
    Empty => (ax, ay)
  | Single (m, mx, my) => pull (m, mx, my, x, y, ax, ay)
  | Cell (m, mx, my, width, a, b, c, d) =>
      let
        val dx = mx - x
        val dy = my - y
      in
        if width * width < theta * theta * (dx * dx + dy * dy) then pull (m, mx, my, x, y, ax, ay)
        else
          let
            val (ax, ay) = force (a, x, y, ax, ay)
            val (ax, ay) = force (b, x, y, ax, ay)
            val (ax, ay) = force (c, x, y, ax, ay)
          in
            force (d, x, y, ax, ay)
          end
      end

fun step bodies =
  let
    fun least (a, b) = Real.min (a, b)
    fun greatest (a, b) = Real.max (a, b)
    val x0 = reduceP least 1E30 (mapP (fn Body {x, ...} => x) bodies)
    val x1 = reduceP greatest ~1E30 (mapP (fn Body {x, ...} => x) bodies)
    val y0 = reduceP least 1E30 (mapP (fn Body {y, ...} => y) bodies)
    val y1 = reduceP greatest ~1E30 (mapP (fn Body {y, ...} => y) bodies)
    val width = Real.max (x1 - x0, y1 - y0) * 1.0001
    val points = mapP (fn Body {mass, x, y, ...} => (mass, x, y)) bodies
    val tree = build (points, (x0 + x1) / 2.0, (y0 + y1) / 2.0, width, 40)
    fun move (Body {mass, x, y, vx, vy}) =
      let
        val (ax, ay) = force (tree, x, y, 0.0, 0.0)
        val vx = vx + ax * dt
        val vy = vy + ay * dt
      in
        Body {mass = mass, x = x + vx * dt, y = y + vy * dt, vx = vx, vy = vy}
      end
  in
    mapP move bodies
  end

(* A Plummer distribution, with velocities as in Aarseth, Henon and Wielen. *)
fun plummer n =
  let
    fun random seed = (seed * 1103515245 + 12345) mod 2147483648
    fun share seed = real (seed div 8) / 268435456.0
    fun speed seed =
      let
        val a = random seed
        val b = random a
        val q = share a
        val g = share b * 0.1
      in
        if g <= q * q * Math.pow (1.0 - q * q, 3.5) then (q, b) else speed b
      end
    fun go (0, _, bodies) = bodies
      | go (k, seed, bodies) =
          let
            val s1 = random seed
            val s2 = random s1
            val r = Math.sqrt (1.0 / (Math.pow (0.001 + 0.998 * share s1, ~0.6666666666666667) - 1.0))
            val angle = 6.283185307179586 * share s2
            val (q, s3) = speed s2
            val v = q * 1.4142135623730951 / Math.pow (1.0 + r * r, 0.25)
            val s4 = random s3
            val heading = 6.283185307179586 * share s4
            val body =
              Body {mass = 1.0 / real n, x = r * Math.cos angle, y = r * Math.sin angle,
                    vx = v * Math.cos heading, vy = v * Math.sin heading}
          in
            go (k - 1, s4, body :: bodies)
          end
  in
    fromListP (go (n, 7, []))
  end

fun iterate (0, bodies) = bodies
  | iterate (k, bodies) = iterate (k - 1, step bodies)

fun main () =
  let
    val (n, k) =
      case map (valOf o Int.fromString) (CommandLine.arguments ()) of
        [] => (200000, 20)
      | [n] => (n, 20)
      | n :: k :: _ => (n, k)
    val bodies = iterate (k, plummer n)
    val (x, y, e) =
      reduceP (fn ((a, b, c), (x, y, e)) => (a + x, b + y, c + e)) (0.0, 0.0, 0.0)
        (mapP (fn Body {mass, x, y, vx, vy} => (mass * x, mass * y, 0.5 * mass * (vx * vx + vy * vy))) bodies)
    val show = Real.fmt (StringCvt.FIX (SOME 6))
  in
    print ("centre " ^ show x ^ " " ^ show y ^ ", kinetic energy " ^ show e ^ "\n")
  end

val () = main ()
