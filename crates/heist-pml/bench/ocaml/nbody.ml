type body = { x : float array; v : float array; mass : float }

let pi = 3.141592653589793
let solar_mass = 4.0 *. pi *. pi
let year = 365.24
let body x y z vx vy vz mass = { x = [| x; y; z |]; v = [| vx *. year; vy *. year; vz *. year |]; mass = mass *. solar_mass }

let system () =
  [|
    body 0.0 0.0 0.0 0.0 0.0 0.0 1.0;
    body 4.84143144246472090 (-1.16032004402742839) (-0.103622044471123109) 0.00166007664274403694 0.00769901118419740425
      (-0.0000690460016972063023) 0.000954791938424326609;
    body 8.34336671824457987 4.12479856412430479 (-0.403523417114321381) (-0.00276742510726411021) 0.00499852801234917238
      0.0000230417297573763929 0.000285885980666130812;
    body 12.8943695621391310 (-15.1111514016986312) (-0.223307578892655734) 0.00296460137564761618 0.00237847173959480950
      (-0.0000296589568540237556) 0.0000436624404335156298;
    body 15.3796971148509165 (-25.9193146099879641) 0.179258772950371181 0.00268067772490389322 0.00162824170038242295
      (-0.0000951592254519715870) 0.0000515138902046611451;
  |]

let offset bodies =
  for k = 0 to 2 do
    let p = Array.fold_left (fun sum { v; mass; _ } -> sum +. (mass *. v.(k))) 0.0 bodies in
    bodies.(0).v.(k) <- -.p /. solar_mass
  done

let kick v k dx dy dz =
  v.(0) <- v.(0) +. (k *. dx);
  v.(1) <- v.(1) +. (k *. dy);
  v.(2) <- v.(2) +. (k *. dz)

let advance bodies dt =
  let n = Array.length bodies in
  for i = 0 to n - 1 do
    let { x; v; mass } = bodies.(i) in
    for j = i + 1 to n - 1 do
      let { x = x'; v = v'; mass = mass' } = bodies.(j) in
      let dx = x.(0) -. x'.(0) in
      let dy = x.(1) -. x'.(1) in
      let dz = x.(2) -. x'.(2) in
      let d2 = (dx *. dx) +. (dy *. dy) +. (dz *. dz) in
      let mag = dt /. (d2 *. sqrt d2) in
      kick v (-.(mass' *. mag)) dx dy dz;
      kick v' (mass *. mag) dx dy dz
    done
  done;
  Array.iter
    (fun { x; v; _ } ->
      x.(0) <- x.(0) +. (dt *. v.(0));
      x.(1) <- x.(1) +. (dt *. v.(1));
      x.(2) <- x.(2) +. (dt *. v.(2)))
    bodies

let energy bodies =
  let n = Array.length bodies in
  let square a = Array.fold_left (fun sum x -> sum +. (x *. x)) 0.0 a in
  let rec from i e =
    if i = n then e
    else
      let { x; v; mass } = bodies.(i) in
      let rec others j e =
        if j = n then e
        else
          let { x = x'; mass = mass'; _ } = bodies.(j) in
          let dx = x.(0) -. x'.(0) in
          let dy = x.(1) -. x'.(1) in
          let dz = x.(2) -. x'.(2) in
          others (j + 1) (e -. (mass *. mass' /. sqrt ((dx *. dx) +. (dy *. dy) +. (dz *. dz))))
      in
      from (i + 1) (others (i + 1) (e +. (0.5 *. mass *. square v)))
  in
  from 0 0.0

let () =
  let n = if Array.length Sys.argv > 1 then int_of_string Sys.argv.(1) else 500000 in
  let bodies = system () in
  let show () =
    let e = energy bodies in
    Printf.printf "%s%.9f\n" (if e < 0.0 then "~" else "") (abs_float e)
  in
  offset bodies;
  show ();
  for _ = 1 to n do
    advance bodies 0.01
  done;
  show ()
