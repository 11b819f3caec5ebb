(* Moves bodies by the forces between all pairs of bodies, in two steps. Argument: bodies (2000). *)

fun moved bodies (x, y, z, vx, vy, vz, mass) =
  let
    val n = Seq.length bodies
    fun go (j, ax, ay, az) =
      if j = n then (ax, ay, az)
      else
        let
          val (x', y', z', _, _, _, mass') = Seq.sub (bodies, j)
          val (dx, dy, dz) = (x' - x, y' - y, z' - z)
          val r2 = dx * dx + dy * dy + dz * dz + 0.01
          val force = mass' / (r2 * Math.sqrt r2)
        in
          go (j + 1, ax + dx * force, ay + dy * force, az + dz * force)
        end
    val (ax, ay, az) = go (0, 0.0, 0.0, 0.0)
    val (vx, vy, vz) = (vx + 0.001 * ax, vy + 0.001 * ay, vz + 0.001 * az)
  in
    (x + 0.001 * vx, y + 0.001 * vy, z + 0.001 * vz, vx, vy, vz, mass)
  end

fun step bodies = Seq.map (moved bodies) bodies

val () =
  Twin.main 2000 (fn n =>
    let
      fun unit seed i = Twin.unit (seed, i)
      fun body i = (unit 1 i, unit 2 i, unit 3 i, 0.0, 0.0, 0.0, unit 4 i + 1.5)
      val bodies = Seq.tabulate (n, body)
      fun word (x, y, z, _, _, _, _) = Twin.ofReal x + Twin.ofReal y + Twin.ofReal z
    in
      (fn () => step (step bodies), fn bodies => Twin.checksum (n, fn i => word (Seq.sub (bodies, i))))
    end)
