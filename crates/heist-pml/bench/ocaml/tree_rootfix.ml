let value i = (i mod 10) + 1

let tour limit =
  let rec go i rest =
    if i > limit then rest
    else (i, value i) :: go (2 * i) (go ((2 * i) + 1) ((0, -value i) :: rest))
  in
  Array.of_list (go 1 [])

let filter p xs = Array.of_list (Array.fold_right (fun x kept -> if p x then x :: kept else kept) xs [])

let scan f b xs =
  let sum = ref b in
  Array.map
    (fun x ->
      let before = !sum in
      sum := f before x;
      before)
    xs

let rootfix entries =
  let amounts = Array.map (fun (_, amount) -> amount) entries in
  let before = scan ( + ) 0 amounts in
  let sums = Array.map2 (fun (node, amount) sum -> (node, sum + amount)) entries before in
  filter (fun (node, _) -> node > 0) sums

let () =
  let depth = if Array.length Sys.argv > 1 then int_of_string Sys.argv.(1) else 18 in
  let rec power k = if k = 0 then 1 else 2 * power (k - 1) in
  let limit = power depth - 1 in
  let sums = rootfix (tour limit) in
  let total = Array.fold_left ( + ) 0 (Array.map (fun (_, sum) -> sum) sums) in
  let greatest = Array.fold_left (fun (a : int) b -> if a > b then a else b) 0 (Array.map (fun (_, sum) -> sum) sums) in
  Printf.printf "%d nodes, greatest %d, total %d\n" (Array.length sums) greatest total
