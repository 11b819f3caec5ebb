let sum = Array.fold_left ( +. ) 0.0
let dotp row (v : float array) = sum (Array.map (fun (i, x) -> x *. v.(i)) row)
let smvm m v = Array.map (fun row -> dotp row v) m

let sparse n elements =
  let per = elements / n in
  let row i =
    let length = min n (i * 7919 mod ((2 * per) + 1)) in
    let step = max 1 (n / max 1 length) in
    Array.init length (fun k -> ((i + (k * step)) mod n, float ((i + k) mod 10) /. 2.0))
  in
  Array.init n row

let () =
  let argument k default = if Array.length Sys.argv > k then int_of_string Sys.argv.(k) else default in
  let n = argument 1 16614 in
  let m = sparse n (argument 2 1091362) in
  let v = Array.init n (fun i -> float (i mod 17) /. 4.0) in
  let rec times k =
    if k = 0 then smvm m v
    else begin
      ignore (smvm m v);
      times (k - 1)
    end
  in
  let result = times 9 in
  let nonzeros = Array.fold_left ( + ) 0 (Array.map Array.length m) in
  Printf.printf "%d elements, sum of the product %.3f\n" nonzeros (sum result)
