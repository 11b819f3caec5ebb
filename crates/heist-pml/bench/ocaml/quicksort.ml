let filter p xs = Array.of_list (Array.fold_right (fun x kept -> if p x then x :: kept else kept) xs [])

let rec quicksort (xs : int array) =
  if Array.length xs <= 1 then xs
  else
    let p = xs.(Array.length xs / 2) in
    let lt = quicksort (filter (fun x -> x < p) xs) in
    let eq = filter (fun x -> x = p) xs in
    let gt = quicksort (filter (fun x -> x > p) xs) in
    Array.concat [ lt; eq; gt ]

let numbers n =
  let rec go k seed made =
    if k = 0 then made
    else
      let next = ((seed * 1103515245) + 12345) mod 2147483648 in
      go (k - 1) next ((next / 64) :: made)
  in
  Array.of_list (go n 42 [])

let sorted xs =
  let n = Array.length xs in
  let rec from i = i + 1 >= n || (xs.(i) <= xs.(i + 1) && from (i + 1)) in
  from 0

let () =
  let n = if Array.length Sys.argv > 1 then int_of_string Sys.argv.(1) else 1000000 in
  let ys = quicksort (numbers n) in
  Printf.printf "%d numbers, %s\n" (Array.length ys) (if sorted ys then "sorted" else "NOT SORTED");
  if n > 0 then Printf.printf "least %d, middle %d, greatest %d\n" ys.(0) ys.(n / 2) ys.(n - 1)
