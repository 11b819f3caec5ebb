let rec fib n = match n with 0 -> 0 | 1 -> 1 | _ -> fib (n - 1) + fib (n - 2)

let () =
  let n = if Array.length Sys.argv > 1 then int_of_string Sys.argv.(1) else 29 in
  Printf.printf "fib %d = %d\n" n (fib n)
