let range a b = Array.init (max 0 (b - a + 1)) (fun i -> a + i)
let up_to i = range 0 i
let sum = Array.fold_left ( + ) 0

let () =
  let n = if Array.length Sys.argv > 1 then int_of_string Sys.argv.(1) else 6000 in
  let sums = Array.map sum (Array.map up_to (range 0 (n - 1))) in
  Printf.printf "last %d, all %d\n" sums.(n - 1) (sum sums)
