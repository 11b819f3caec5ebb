(* The sun and the four big planets, with the leapfrog integrator of the Computer Language Benchmarks Game.
   Argument: steps (500000). *)

type body = {x : real array, v : real array, mass : real}

val pi = 3.141592653589793
val solarMass = 4.0 * pi * pi
val year = 365.24

fun body (x, y, z, vx, vy, vz, mass) : body =
  {x = Array.fromList [x, y, z],
   v = Array.fromList [vx * year, vy * year, vz * year],
   mass = mass * solarMass}

fun system () =
  Vector.fromList
    [body (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0),
     body
       (4.84143144246472090,
        ~1.16032004402742839,
        ~0.103622044471123109,
        0.00166007664274403694,
        0.00769901118419740425,
        ~0.0000690460016972063023,
        0.000954791938424326609),
     body
       (8.34336671824457987,
        4.12479856412430479,
        ~0.403523417114321381,
        ~0.00276742510726411021,
        0.00499852801234917238,
        0.0000230417297573763929,
        0.000285885980666130812),
     body
       (12.8943695621391310,
        ~15.1111514016986312,
        ~0.223307578892655734,
        0.00296460137564761618,
        0.00237847173959480950,
        ~0.0000296589568540237556,
        0.0000436624404335156298),
     body
       (15.3796971148509165,
        ~25.9193146099879641,
        0.179258772950371181,
        0.00268067772490389322,
        0.00162824170038242295,
        ~0.0000951592254519715870,
        0.0000515138902046611451)]

(* Gives the sun a velocity so that the total momentum is 0. *)
fun offset bodies =
  let
    val sun : body = Vector.sub (bodies, 0)
    fun axis k =
      let
        val p =
          Vector.foldl (fn ({v, mass, ...} : body, sum) => sum + mass * Array.sub (v, k)) 0.0 bodies
      in
        Array.update (#v sun, k, ~p / solarMass)
      end
  in
    axis 0;
    axis 1;
    axis 2
  end

fun kick (v, k : real, dx, dy, dz) =
  (Array.update (v, 0, Array.sub (v, 0) + k * dx);
   Array.update (v, 1, Array.sub (v, 1) + k * dy);
   Array.update (v, 2, Array.sub (v, 2) + k * dz))

fun advance (bodies, dt) =
  let
    val n = Vector.length bodies
    fun pairs i =
      if i = n then
        ()
      else
        let
          val {x, v, mass} : body = Vector.sub (bodies, i)
          fun others j =
            if j = n then
              ()
            else
              let
                val {x = x', v = v', mass = mass'} : body = Vector.sub (bodies, j)
                val dx = Array.sub (x, 0) - Array.sub (x', 0)
                val dy = Array.sub (x, 1) - Array.sub (x', 1)
                val dz = Array.sub (x, 2) - Array.sub (x', 2)
                val d2 = dx * dx + dy * dy + dz * dz
                val mag = dt / (d2 * Math.sqrt d2)
              in
                kick (v, ~(mass' * mag), dx, dy, dz);
                kick (v', mass * mag, dx, dy, dz);
                others (j + 1)
              end
        in
          others (i + 1);
          pairs (i + 1)
        end
    fun move ({x, v, ...} : body) =
      (Array.update (x, 0, Array.sub (x, 0) + dt * Array.sub (v, 0));
       Array.update (x, 1, Array.sub (x, 1) + dt * Array.sub (v, 1));
       Array.update (x, 2, Array.sub (x, 2) + dt * Array.sub (v, 2)))
  in
    pairs 0;
    Vector.app move bodies
  end

fun energy bodies =
  let
    val n = Vector.length bodies
    fun square a = Array.foldl (fn (x, sum) => sum + x * x) 0.0 a
    fun from (i, e) =
      if i = n then
        e
      else
        let
          val {x, v, mass} : body = Vector.sub (bodies, i)
          fun others (j, e) =
            if j = n then
              e
            else
              let
                val {x = x', mass = mass', ...} : body = Vector.sub (bodies, j)
                val dx = Array.sub (x, 0) - Array.sub (x', 0)
                val dy = Array.sub (x, 1) - Array.sub (x', 1)
                val dz = Array.sub (x, 2) - Array.sub (x', 2)
              in
                others (j + 1, e - mass * mass' / Math.sqrt (dx * dx + dy * dy + dz * dz))
              end
        in
          from (i + 1, others (i + 1, e + 0.5 * mass * square v))
        end
  in
    from (0, 0.0)
  end

fun main () =
  let
    val n = case CommandLine.arguments () of s :: _ => valOf (Int.fromString s) | [] => 500000
    val bodies = system ()
    fun show () = print (Real.fmt (StringCvt.FIX (SOME 9)) (energy bodies) ^ "\n")
    fun loop 0 = ()
      | loop k = (advance (bodies, 0.01); loop (k - 1))
  in
    offset bodies;
    show ();
    loop n;
    show ()
  end

val () = main ()
