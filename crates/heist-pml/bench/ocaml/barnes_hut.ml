type body = { mass : float; x : float; y : float; vx : float; vy : float }

type tree =
  | Empty
  | Single of float * float * float
  | Cell of float * float * float * float * tree * tree * tree * tree

let epsilon = 0.05
let theta = 0.7
let dt = 0.025
let mass_of = function Empty -> (0.0, 0.0, 0.0) | Single (m, x, y) -> (m, x, y) | Cell (m, x, y, _, _, _, _, _) -> (m, x, y)

let join width a b c d =
  let plus t (m, x, y) =
    let m', x', y' = mass_of t in
    (m +. m', x +. (m' *. x'), y +. (m' *. y'))
  in
  let m, x, y = plus a (plus b (plus c (plus d (0.0, 0.0, 0.0)))) in
  Cell (m, x /. m, y /. m, width, a, b, c, d)

let filter p xs = Array.of_list (Array.fold_right (fun x kept -> if p x then x :: kept else kept) xs [])

let rec build points (cx : float) (cy : float) width depth =
  match Array.length points with
  | 0 -> Empty
  | 1 ->
      let m, x, y = points.(0) in
      Single (m, x, y)
  | _ ->
      if depth = 0 then
        let m, x, y =
          Array.fold_left
            (fun (m, x, y) (m', x', y') -> (m +. m', x +. x', y +. y'))
            (0.0, 0.0, 0.0)
            (Array.map (fun (m, x, y) -> (m, m *. x, m *. y)) points)
        in
        Single (m, x /. m, y /. m)
      else
        let half = width /. 2.0 in
        let quarter = width /. 4.0 in
        let part keep dx dy = build (filter keep points) (cx +. (dx *. quarter)) (cy +. (dy *. quarter)) half (depth - 1) in
        let a = part (fun (_, x, y) -> x < cx && y < cy) (-1.0) (-1.0) in
        let b = part (fun (_, x, y) -> x >= cx && y < cy) 1.0 (-1.0) in
        let c = part (fun (_, x, y) -> x < cx && y >= cy) (-1.0) 1.0 in
        let d = part (fun (_, x, y) -> x >= cx && y >= cy) 1.0 1.0 in
        join width a b c d

let pull m mx my x y ax ay =
  let dx = mx -. x in
  let dy = my -. y in
  let d2 = (dx *. dx) +. (dy *. dy) +. (epsilon *. epsilon) in
  let k = m /. (d2 *. sqrt d2) in
  (ax +. (k *. dx), ay +. (k *. dy))

let rec force tree x y ax ay =
  match tree with
  | Empty -> (ax, ay)
  | Single (m, mx, my) -> pull m mx my x y ax ay
  | Cell (m, mx, my, width, a, b, c, d) ->
      let dx = mx -. x in
      let dy = my -. y in
      if width *. width < theta *. theta *. ((dx *. dx) +. (dy *. dy)) then pull m mx my x y ax ay
      else
        let ax, ay = force a x y ax ay in
        let ax, ay = force b x y ax ay in
        let ax, ay = force c x y ax ay in
        force d x y ax ay

let step bodies =
  let least (a : float) b = if a < b then a else b in
  let greatest (a : float) b = if a > b then a else b in
  let x0 = Array.fold_left least 1e30 (Array.map (fun b -> b.x) bodies) in
  let x1 = Array.fold_left greatest (-1e30) (Array.map (fun b -> b.x) bodies) in
  let y0 = Array.fold_left least 1e30 (Array.map (fun b -> b.y) bodies) in
  let y1 = Array.fold_left greatest (-1e30) (Array.map (fun b -> b.y) bodies) in
  let width = greatest (x1 -. x0) (y1 -. y0) *. 1.0001 in
  let points = Array.map (fun { mass; x; y; _ } -> (mass, x, y)) bodies in
  let tree = build points ((x0 +. x1) /. 2.0) ((y0 +. y1) /. 2.0) width 40 in
  let move { mass; x; y; vx; vy } =
    let ax, ay = force tree x y 0.0 0.0 in
    let vx = vx +. (ax *. dt) in
    let vy = vy +. (ay *. dt) in
    { mass; x = x +. (vx *. dt); y = y +. (vy *. dt); vx; vy }
  in
  Array.map move bodies

let plummer n =
  let random seed = ((seed * 1103515245) + 12345) mod 2147483648 in
  let share seed = float (seed / 8) /. 268435456.0 in
  let rec speed seed =
    let a = random seed in
    let b = random a in
    let q = share a in
    let g = share b *. 0.1 in
    if g <= q *. q *. Float.pow (1.0 -. (q *. q)) 3.5 then (q, b) else speed b
  in
  let rec go k seed bodies =
    if k = 0 then bodies
    else
      let s1 = random seed in
      let s2 = random s1 in
      let r = sqrt (1.0 /. (Float.pow (0.001 +. (0.998 *. share s1)) (-0.6666666666666667) -. 1.0)) in
      let angle = 6.283185307179586 *. share s2 in
      let q, s3 = speed s2 in
      let v = q *. 1.4142135623730951 /. Float.pow (1.0 +. (r *. r)) 0.25 in
      let s4 = random s3 in
      let heading = 6.283185307179586 *. share s4 in
      let body =
        { mass = 1.0 /. float n; x = r *. cos angle; y = r *. sin angle; vx = v *. cos heading; vy = v *. sin heading }
      in
      go (k - 1) s4 (body :: bodies)
  in
  Array.of_list (go n 7 [])

let rec iterate k bodies = if k = 0 then bodies else iterate (k - 1) (step bodies)

let () =
  let argument k default = if Array.length Sys.argv > k then int_of_string Sys.argv.(k) else default in
  let bodies = iterate (argument 2 20) (plummer (argument 1 200000)) in
  let x, y, e =
    Array.fold_left
      (fun (a, b, c) (x, y, e) -> (a +. x, b +. y, c +. e))
      (0.0, 0.0, 0.0)
      (Array.map (fun { mass; x; y; vx; vy } -> (mass *. x, mass *. y, 0.5 *. mass *. ((vx *. vx) +. (vy *. vy)))) bodies)
  in
  let show r = let s = Printf.sprintf "%.6f" r in if s.[0] = '-' then "~" ^ String.sub s 1 (String.length s - 1) else s in
  Printf.printf "centre %s %s, kinetic energy %s\n" (show x) (show y) (show e)
