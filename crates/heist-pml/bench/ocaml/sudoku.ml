module Grid : sig
  type t

  val parse : string -> t
  val solve : t -> (t * int) option
  val to_string : t -> string
end = struct
  type t = { fields : int array; rows : int array; columns : int array; boxes : int array }

  let box i = (i / 27 * 3) + (i mod 9 / 3)
  let bit v = 1 lsl v

  let put { fields; rows; columns; boxes } i v =
    let b = bit v in
    let add sets k = sets.(k) <- sets.(k) lor b in
    fields.(i) <- v;
    add rows (i / 9);
    add columns (i mod 9);
    add boxes (box i)

  let clear { fields; rows; columns; boxes } i =
    let keep = lnot (bit fields.(i)) in
    let remove sets k = sets.(k) <- sets.(k) land keep in
    fields.(i) <- 0;
    remove rows (i / 9);
    remove columns (i mod 9);
    remove boxes (box i)

  let fresh () = { fields = Array.make 81 0; rows = Array.make 9 0; columns = Array.make 9 0; boxes = Array.make 9 0 }

  let parse text =
    let grid = fresh () in
    String.iteri (fun i c -> if '1' <= c && c <= '9' then put grid i (Char.code c - Char.code '0')) text;
    grid

  let copy grid =
    let other = fresh () in
    Array.iteri (fun i v -> if v > 0 then put other i v) grid.fields;
    other

  let candidates { rows; columns; boxes; _ } i = 0x3fe land lnot (rows.(i / 9) lor (columns.(i mod 9) lor boxes.(box i)))
  let rec count set n = if set = 0 then n else count (set land (set - 1)) (n + 1)

  let best grid =
    let rec go k i set least =
      if k = 81 then (i, set)
      else if grid.fields.(k) > 0 then go (k + 1) i set least
      else
        let here = candidates grid k in
        let n = count here 0 in
        if n < least then if n = 0 then (k, here) else go (k + 1) k here n else go (k + 1) i set least
    in
    go 0 (-1) 0 10

  let solve start =
    let grid = copy start in
    let tried = ref 0 in
    let rec search () =
      match best grid with
      | -1, _ -> true
      | i, set ->
          let rec attempt v =
            v <= 9
            &&
            if set land bit v = 0 then attempt (v + 1)
            else begin
              incr tried;
              put grid i v;
              search ()
              || begin
                   clear grid i;
                   attempt (v + 1)
                 end
            end
          in
          attempt 1
    in
    if search () then Some (grid, !tried) else None

  let to_string grid = String.concat "" (List.map string_of_int (Array.to_list grid.fields))
end

let puzzles =
  [
    "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";
    "4.....8.5.3..........7......2.....6.....8.4......1.......6.3.7.5..2.....1.4......";
    "..............3.85..1.2.......5.7.....4...1...9.......5......73..2.1........4...9";
    "8..........36......7..9.2...5...7.......457.....1...3...1....68..85...1..9....4..";
    "1....7.9..3..2...8..96..5....53..9...1..8...26....4...3......1..4......7..7...3..";
  ]

let () =
  let n = if Array.length Sys.argv > 1 then int_of_string Sys.argv.(1) else 20 in
  for _ = 2 to n do
    List.iter (fun p -> ignore (Grid.solve (Grid.parse p))) puzzles
  done;
  List.iter
    (fun puzzle ->
      match Grid.solve (Grid.parse puzzle) with
      | Some (solution, tried) -> Printf.printf "%s after %d\n" (Grid.to_string solution) tried
      | None -> print_endline "no solution")
    puzzles
