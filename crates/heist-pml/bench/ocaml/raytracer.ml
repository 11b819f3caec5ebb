let add (a, b, c) (x, y, z) = (a +. x, b +. y, c +. z)
let sub (a, b, c) (x, y, z) = (a -. x, b -. y, c -. z)
let scale k (x, y, z) = (k *. x, k *. y, k *. z)
let mul (a, b, c) (x, y, z) = (a *. x, b *. y, c *. z)
let dot (a, b, c) (x, y, z) = (a *. x) +. (b *. y) +. (c *. z)
let unit v = scale (1.0 /. sqrt (dot v v)) v

type vec = float * float * float
type surface = Plain of vec | Chequered of vec * vec

type shape =
  | Sphere of { centre : vec; radius : float; surface : surface; mirror : float }
  | Floor of { height : float; surface : surface; mirror : float }

let meets (from, way) = function
  | Sphere { centre; radius; _ } ->
      let oc = sub from centre in
      let b = dot oc way in
      let c = dot oc oc -. (radius *. radius) in
      let d = (b *. b) -. c in
      if d < 0.0 then None
      else
        let root = sqrt d in
        let near = -.b -. root in
        let far = -.b +. root in
        if near > 0.0001 then Some near else if far > 0.0001 then Some far else None
  | Floor { height; _ } ->
      let _, y, _ = from and _, dy, _ = way in
      let t = (height -. y) /. dy in
      if t > 0.0001 && t < 1000.0 then Some t else None

let nearest ray objects =
  let rec go objects best =
    match objects with
    | [] -> best
    | o :: rest -> (
        match (meets ray o, best) with
        | None, _ -> go rest best
        | Some t, Some (u, _) -> go rest (if t < u then Some (t, o) else best)
        | Some t, None -> go rest (Some (t, o)))
  in
  go objects None

let normal o p = match o with Sphere { centre; radius; _ } -> scale (1.0 /. radius) (sub p centre) | Floor _ -> (0.0, 1.0, 0.0)
let floor_int x = int_of_float (Float.floor x)

let colour surface (x, _, z) =
  match surface with Plain c -> c | Chequered (c, d) -> if (floor_int x + floor_int z) land 1 = 0 then c else d

let surface_of = function Sphere { surface; mirror; _ } | Floor { surface; mirror; _ } -> (surface, mirror)
let lamps = [ ((-4.0, 6.0, -3.0), (0.7, 0.7, 0.6)); ((5.0, 4.0, -4.0), (0.3, 0.3, 0.5)) ]
let sky (_, y, _) = add (0.55, 0.65, 0.85) (scale (0.15 *. y) (1.0, 1.0, 1.0))

let rec trace objects ((from, way) as ray) depth =
  match nearest ray objects with
  | None -> sky way
  | Some (t, o) ->
      let p = add from (scale t way) in
      let n = normal o p in
      let surface, mirror = surface_of o in
      let base = colour surface p in
      let light sum (place, strength) =
        let to_lamp = sub place p in
        let distance = sqrt (dot to_lamp to_lamp) in
        let way = scale (1.0 /. distance) to_lamp in
        let facing = dot n way in
        let shaded =
          facing <= 0.0 || match nearest (p, way) objects with Some (t, _) -> t < distance | None -> false
        in
        if shaded then sum else add sum (scale facing (mul base strength))
      in
      let lit = List.fold_left light (scale 0.1 base) lamps in
      if mirror <= 0.0 || depth = 0 then lit
      else
        let reflected = sub way (scale (2.0 *. dot way n) n) in
        let seen = trace objects (p, unit reflected) (depth - 1) in
        add (scale (1.0 -. mirror) lit) (scale mirror seen)

let scene =
  Floor { height = 0.0; surface = Chequered ((0.9, 0.9, 0.9), (0.2, 0.3, 0.2)); mirror = 0.2 }
  :: List.init 12 (fun i ->
         let angle = float i *. 0.5235987755982988 in
         let r = 0.35 +. (0.05 *. float (i mod 3)) in
         Sphere
           {
             centre = (2.2 *. cos angle, r, 2.2 *. sin angle);
             radius = r;
             surface = Plain (0.3 +. (0.05 *. float i), 0.9 -. (0.06 *. float i), 0.5);
             mirror = 0.1;
           })
  @ [ Sphere { centre = (0.0, 1.1, 0.0); radius = 1.1; surface = Plain (0.9, 0.8, 0.7); mirror = 0.7 } ]

let pixel size x y =
  let from = (0.0, 2.0, -6.0) in
  let across k = float ((2 * k) + 1 - size) /. float size in
  let way = unit (across x, -0.25 -. across y, 1.8) in
  trace scene (from, way) 4

let raytrace size = Array.init size (fun y -> Array.init size (fun x -> pixel size x y))
let byte c = max 0 (min 255 (int_of_float (c *. 255.0)))

let write file size image =
  let out = open_out_bin file in
  Printf.fprintf out "P6\n%d %d\n255\n" size size;
  Array.iter (Array.iter (fun (r, g, b) -> List.iter (fun c -> output_char out (Char.chr (byte c))) [ r; g; b ])) image;
  close_out out

let () =
  let size = if Array.length Sys.argv > 1 then int_of_string Sys.argv.(1) else 256 in
  let image = raytrace size in
  let weight (r, g, b) = byte r + (3 * byte g) + (5 * byte b) in
  let total = Array.fold_left ( + ) 0 (Array.map (fun row -> Array.fold_left ( + ) 0 (Array.map weight row)) image) in
  Printf.printf "%d x %d pixels, check sum %d\n" size size total;
  if Array.length Sys.argv > 2 then write Sys.argv.(2) size image
