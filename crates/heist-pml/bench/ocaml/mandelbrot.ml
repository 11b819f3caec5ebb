let limit = 200

let escapes cr ci =
  let rec go zr zi k =
    let r2 = zr *. zr in
    let i2 = zi *. zi in
    if k = limit || r2 +. i2 > 4.0 then k else go (r2 -. i2 +. cr) ((2.0 *. zr *. zi) +. ci) (k + 1)
  in
  go 0.0 0.0 0

let at columns rows x y = escapes ((3.0 *. float x /. float columns) -. 2.2) ((2.4 *. float y /. float rows) -. 1.2)

let total columns rows =
  let rec row y x inside steps =
    if x = columns then (inside, steps)
    else
      let k = at columns rows x y in
      row y (x + 1) (if k = limit then inside + 1 else inside) (steps + k)
  in
  let rec all y inside steps =
    if y = rows then (inside, steps)
    else
      let inside, steps = row y 0 inside steps in
      all (y + 1) inside steps
  in
  all 0 0 0

let shade k = if k = limit then '*' else " .:-=+%#@".[k mod 9]

let () =
  let columns = if Array.length Sys.argv > 1 then int_of_string Sys.argv.(1) else 400 in
  let show = Array.length Sys.argv > 2 in
  let rows = if show then columns / 2 else columns in
  let inside, steps = total columns rows in
  if show then
    for y = 0 to rows - 1 do
      print_endline (String.init columns (fun x -> shade (at columns rows x y)))
    done;
  Printf.printf "%d points inside, %d steps\n" inside steps
