let rec safe column distance = function
  | [] -> true
  | q :: qs -> column <> q && column <> q + distance && column <> q - distance && safe column (distance + 1) qs

let rec count n row placed =
  if row = n then 1
  else
    let attempt column = if safe column 1 placed then count n (row + 1) (column :: placed) else 0 in
    if row < 3 then Array.fold_left ( + ) 0 (Array.map attempt (Array.init n (fun i -> i + 1)))
    else
      let rec all column = if column > n then 0 else attempt column + all (column + 1) in
      all 1

let () =
  let n = if Array.length Sys.argv > 1 then int_of_string Sys.argv.(1) else 10 in
  Printf.printf "%d queens: %d solutions\n" n (count n 0 [])
