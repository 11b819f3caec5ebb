type vec = float * float * float

let sub (a, b, c) (x, y, z) = (a -. x, b -. y, c -. z)
let dot (a, b, c) (x, y, z) = (a *. x) +. (b *. y) +. (c *. z)
let cross (a, b, c) (x, y, z) = ((b *. z) -. (c *. y), (c *. x) -. (a *. z), (a *. y) -. (b *. x))
let scale k (x, y, z) = (k *. x, k *. y, k *. z)
let add (a, b, c) (x, y, z) = (a +. x, b +. y, c +. z)
let unit v = scale (1.0 /. sqrt (dot v v)) v

type triangle = { corner : vec; edge1 : vec; edge2 : vec }
type box = { low : vec; high : vec }
type tree = Leaf of box * triangle list | Branch of box * tree * tree

let smaller (a : float) b = if a < b then a else b
let larger (a : float) b = if a > b then a else b
let lower (a, b, c) (x, y, z) = (smaller a x, smaller b y, smaller c z)
let upper (a, b, c) (x, y, z) = (larger a x, larger b y, larger c z)

let box_of { corner; edge1; edge2 } =
  let p = add corner edge1 in
  let q = add corner edge2 in
  { low = lower corner (lower p q); high = upper corner (upper p q) }

let both a b = { low = lower a.low b.low; high = upper a.high b.high }

let box_of_all = function
  | [] -> invalid_arg "empty"
  | t :: ts -> List.fold_left (fun box t -> both (box_of t) box) (box_of t) ts

let centre axis { corner; edge1; edge2 } =
  let x, y, z = add (scale 3.0 corner) (add edge1 edge2) in
  match axis with 0 -> x | 1 -> y | _ -> z

let sort less ts =
  let rec merge a b =
    match (a, b) with
    | [], b -> b
    | a, [] -> a
    | x :: a', y :: b' -> if less y x then y :: merge a b' else x :: merge a' b
  in
  let rec split xs a b = match xs with [] -> (a, b) | x :: rest -> split rest (x :: b) a in
  let rec go = function
    | [] -> []
    | [ x ] -> [ x ]
    | xs ->
        let a, b = split xs [] [] in
        merge (go a) (go b)
  in
  go ts

let rec take k xs = match xs with x :: xs when k > 0 -> x :: take (k - 1) xs | _ -> []
let rec drop k xs = match xs with _ :: xs when k > 0 -> drop (k - 1) xs | xs -> xs

let rec build axis ts =
  let box = box_of_all ts in
  let n = List.length ts in
  let next = (axis + 1) mod 3 in
  if n <= 4 then Leaf (box, ts)
  else
    let sorted = sort (fun t u -> (centre axis t : float) < centre axis u) ts in
    let a = build next (take (n / 2) sorted) in
    Branch (box, a, build next (drop (n / 2) sorted))

let meets_box { low = lx, ly, lz; high = hx, hy, hz } (x, y, z) (ix, iy, iz) (far : float) =
  let a = (lx -. x) *. ix in
  let b = (hx -. x) *. ix in
  let near = if a < b then a else b in
  let until = if a < b then b else a in
  let a = (ly -. y) *. iy in
  let b = (hy -. y) *. iy in
  let near = if a < b then if a > near then a else near else if b > near then b else near in
  let until = if a < b then if b < until then b else until else if a < until then a else until in
  let a = (lz -. z) *. iz in
  let b = (hz -. z) *. iz in
  let near = if a < b then if a > near then a else near else if b > near then b else near in
  let until = if a < b then if b < until then b else until else if a < until then a else until in
  near <= until && until > 0.0 && near < far

let distance { corner; edge1; edge2 } from way (far : float) =
  let p = cross way edge2 in
  let det = dot edge1 p in
  if abs_float det < 1e-9 then far
  else
    let inverse = 1.0 /. det in
    let t = sub from corner in
    let u = dot t p *. inverse in
    if u < 0.0 || u > 1.0 then far
    else
      let q = cross t edge1 in
      let v = dot way q *. inverse in
      if v < 0.0 || u +. v > 1.0 then far
      else
        let d = dot edge2 q *. inverse in
        if d > 1e-5 && d < far then d else far

let nearest tree from way =
  let dx, dy, dz = way in
  let inverse = (1.0 /. dx, 1.0 /. dy, 1.0 /. dz) in
  let rec go tree far found =
    match tree with
    | Leaf (box, ts) -> if meets_box box from inverse far then all ts far found else (far, found)
    | Branch (box, a, b) ->
        if meets_box box from inverse far then
          let far, found = go a far found in
          go b far found
        else (far, found)
  and all ts far found =
    match ts with
    | [] -> (far, found)
    | t :: ts ->
        let d = distance t from way far in
        if d < far then all ts d (Some t) else all ts far found
  in
  go tree 1e30 None

let torus n =
  let turn = 6.283185307179586 in
  let point i j =
    let a = turn *. float (i mod (3 * n)) /. float (3 * n) in
    let b = turn *. float (j mod (n / 2)) /. float (n / 2) in
    let r = 2.0 +. (0.8 *. cos b) in
    (r *. cos a, 0.8 *. sin b, r *. sin a)
  in
  let face i j =
    let p = point i j in
    let q = point (i + 1) j in
    let r = point i (j + 1) in
    let s = point (i + 1) (j + 1) in
    [ { corner = p; edge1 = sub q p; edge2 = sub r p }; { corner = s; edge1 = sub r s; edge2 = sub q s } ]
  in
  List.concat (List.init (3 * n) (fun i -> List.concat (List.init (n / 2) (face i))))

let lamp = unit (1.0, 2.0, -1.5)

let shade tree from way =
  match nearest tree from way with
  | _, None -> 20
  | d, Some { edge1; edge2; _ } ->
      let normal = unit (cross edge1 edge2) in
      let facing = abs_float (dot normal lamp) in
      let p = add from (scale (d *. 0.9999) way) in
      let lit = match nearest tree p lamp with _, None -> facing | _ -> 0.0 in
      int_of_float (40.0 +. (210.0 *. lit))

let render tree width =
  let from = (0.3, 3.5, -4.5) in
  let across k = float ((2 * k) + 1 - width) /. float width in
  let pixel i =
    let sx = across (i mod width) in
    let sy = across (i / width) in
    shade tree from (unit (sx +. 0.0001, -0.72 -. (0.75 *. sy), 1.0 -. (0.3 *. sy)))
  in
  Array.init (width * width) pixel

let () =
  let argument k default = if Array.length Sys.argv > k then int_of_string Sys.argv.(k) else default in
  let width = argument 1 160 in
  let mesh = torus (argument 2 60) in
  let image = render (build 0 mesh) width in
  let sum = Array.fold_left ( + ) 0 image in
  let bright = Array.fold_left (fun k v -> if v > 40 then k + 1 else k) 0 image in
  Printf.printf "%d triangles, %d bright pixels, check sum %d\n" (List.length mesh) bright sum;
  if Array.length Sys.argv > 3 then begin
    let out = open_out_bin Sys.argv.(3) in
    Printf.fprintf out "P5\n%d %d\n255\n" width width;
    Array.iter (fun v -> output_char out (Char.chr v)) image;
    close_out out
  end
