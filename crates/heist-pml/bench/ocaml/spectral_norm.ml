let a i j = 1.0 /. float (((i + j) * (i + j + 1) / 2) + i + 1)

let times f v result =
  let n = Array.length v in
  let rec row i j sum = if j = n then sum else row i (j + 1) (sum +. (f i j *. v.(j))) in
  for i = 0 to n - 1 do
    result.(i) <- row i 0 0.0
  done

let times_a v result = times a v result
let times_at v result = times (fun i j -> a j i) v result

let times_at_a v result between =
  times_a v between;
  times_at between result

let dot u v =
  let n = Array.length u in
  let rec go i sum = if i = n then sum else go (i + 1) (sum +. (u.(i) *. v.(i))) in
  go 0 0.0

let () =
  let n = if Array.length Sys.argv > 1 then int_of_string Sys.argv.(1) else 300 in
  let u = Array.make n 1.0 in
  let v = Array.make n 0.0 in
  let between = Array.make n 0.0 in
  for _ = 1 to 10 do
    times_at_a u v between;
    times_at_a v u between
  done;
  Printf.printf "%.9f\n" (sqrt (dot u v /. dot v v))
