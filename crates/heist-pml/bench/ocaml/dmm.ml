let sum = Array.fold_left ( +. ) 0.0
let dotp (a : float array) b = sum (Array.map2 (fun x y -> x *. y) a b)
let column m j = Array.map (fun (row : float array) -> row.(j)) m
let transpose m = if Array.length m = 0 then m else Array.init (Array.length m.(0)) (column m)

let multiply a b =
  let columns = transpose b in
  Array.map (fun row -> Array.map (dotp row) columns) a

let matrix n f : float array array = Array.init n (fun i -> Array.init n (fun j -> f i j))

let () =
  let n = if Array.length Sys.argv > 1 then int_of_string Sys.argv.(1) else 100 in
  let a = matrix n (fun i j -> float (((i * 7) + (j * 3)) mod 11) /. 4.0) in
  let b = matrix n (fun i j -> float (((i * 5) + (j * 2)) mod 13) /. 8.0) in
  let c = multiply a (multiply b a) in
  let trace = sum (Array.init n (fun i -> c.(i).(i))) in
  let total = sum (Array.map sum c) in
  Printf.printf "trace %.4f, total %.4f\n" trace total
