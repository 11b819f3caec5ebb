(* All pairs of bodies attract each other. The loop over the bodies is parallel. Arguments: bodies (1500), steps (4). *)

type body = real * real * real * real * real

fun force (bodies : body parray, (x, y, _, _, _) : body) =
  let
    val n = lengthP bodies
    fun go (j, fx, fy) =
      if j = n then
        (fx, fy)
      else
        let
          val (x', y', _, _, mass) = subP (bodies, j)
          val (dx, dy) = (x' - x, y' - y)
          val r2 = dx * dx + dy * dy + 0.01
          val f = mass / (r2 * Math.sqrt r2)
        in
          go (j + 1, fx + dx * f, fy + dy * f)
        end
  in
    go (0, 0.0, 0.0)
  end

fun step bodies =
  let
    fun move (b as (x, y, vx, vy, mass)) =
      let
        val (fx, fy) = force (bodies, b)
        val (vx, vy) = (vx + 0.001 * fx, vy + 0.001 * fy)
      in
        (x + 0.001 * vx, y + 0.001 * vy, vx, vy, mass)
      end
  in
    [| move b | b in bodies |]
  end

fun main () =
  let
    val (n, steps) =
      case map (valOf o Int.fromString) (CommandLine.arguments ()) of
        n :: s :: _ => (n, s)
      | [n] => (n, 4)
      | [] => (1500, 4)
    fun body i = (real (i * 7919 mod 1000), real (i * 104729 mod 1000), 0.0, 0.0, real (i mod 7 + 1))
    fun go (0, bodies) = bodies
      | go (k, bodies) = go (k - 1, step bodies)
    val bodies = go (steps, [| body i | i in [| 1 to n |] |])
    val speed = reduceP (op +) 0.0 [| vx * vx + vy * vy | (_, _, vx, vy, _) in bodies |]
  in
    print (if speed > 0.0 then Int.toString (lengthP bodies) ^ " bodies\n" else "they stand\n")
  end

val () = main ()
