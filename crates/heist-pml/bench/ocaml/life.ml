module type ORDERED = sig
  type t

  val compare : t -> t -> int
end

module Map (Key : ORDERED) : sig
  type 'a map

  val empty : 'a map
  val find : 'a map -> Key.t -> 'a option
  val insert_with : ('a -> 'a -> 'a) -> 'a map -> Key.t -> 'a -> 'a map
  val fold : (Key.t -> 'a -> 'b -> 'b) -> 'b -> 'a map -> 'b
  val size : 'a map -> int
end = struct
  type 'a map = Leaf | Node of int * 'a map * Key.t * 'a * 'a map

  let empty = Leaf
  let size = function Leaf -> 0 | Node (n, _, _, _, _) -> n
  let node l k v r = Node (size l + size r + 1, l, k, v, r)

  let single_left a k v = function
    | Node (_, b, l, w, c) -> node (node a k v b) l w c
    | Leaf -> node a k v Leaf

  let single_right a l w c =
    match a with Node (_, a, k, v, b) -> node a k v (node b l w c) | Leaf -> node Leaf l w c

  let double_left a k v = function
    | Node (_, Node (_, b, l, w, c), m, x, d) -> node (node a k v b) l w (node c m x d)
    | r -> single_left a k v r

  let double_right a m x d =
    match a with
    | Node (_, a, k, v, Node (_, b, l, w, c)) -> node (node a k v b) l w (node c m x d)
    | a -> single_right a m x d

  let balance l k v r =
    let n = size l in
    let m = size r in
    if n + m < 2 then node l k v r
    else if m > 4 * n then
      match r with
      | Node (_, a, _, _, b) -> if size a < size b then single_left l k v r else double_left l k v r
      | Leaf -> node l k v r
    else if n > 4 * m then
      match l with
      | Node (_, a, _, _, b) -> if size b < size a then single_right l k v r else double_right l k v r
      | Leaf -> node l k v r
    else node l k v r

  let rec find map key =
    match map with
    | Leaf -> None
    | Node (_, l, k, v, r) ->
        let c = Key.compare key k in
        if c < 0 then find l key else if c > 0 then find r key else Some v

  let insert_with f map key value =
    let rec go = function
      | Leaf -> Node (1, Leaf, key, value, Leaf)
      | Node (n, l, k, v, r) ->
          let c = Key.compare key k in
          if c < 0 then balance (go l) k v r else if c > 0 then balance l k v (go r) else Node (n, l, k, f v value, r)
    in
    go map

  let rec fold f b = function Leaf -> b | Node (_, l, k, v, r) -> fold f (f k v (fold f b l)) r
end

module Cells = Map (struct
  type t = int * int

  let compare (x, y) (x', y') =
    let c = Int.compare y y' in
    if c = 0 then Int.compare x x' else c
end)

let alive cells = List.fold_left (fun map cell -> Cells.insert_with (fun a _ -> a) map cell ()) Cells.empty cells

let next generation =
  let around (x, y) () counts =
    List.fold_left
      (fun counts (dx, dy) -> Cells.insert_with ( + ) counts (x + dx, y + dy) 1)
      counts
      [ (-1, -1); (0, -1); (1, -1); (-1, 0); (1, 0); (-1, 1); (0, 1); (1, 1) ]
  in
  let counts = Cells.fold around Cells.empty generation in
  let live cell n map =
    if n = 3 || (n = 2 && Option.is_some (Cells.find generation cell)) then Cells.insert_with (fun a _ -> a) map cell ()
    else map
  in
  Cells.fold live Cells.empty counts

let parse rows =
  let cells = ref [] in
  List.iteri (fun y text -> String.iteri (fun x c -> if c = '#' then cells := (x, y) :: !cells) text) rows;
  !cells

let gun =
  parse
    [
      "........................#...........";
      "......................#.#...........";
      "............##......##............##";
      "...........#...#....##............##";
      "##........#.....#...##..............";
      "##........#...#.##....#.#...........";
      "..........#.....#.......#...........";
      "...........#...#....................";
      "............##......................";
    ]

let acorn = List.map (fun (x, y) -> (x + 100, y + 60)) (parse [ ".#....."; "...#..."; "##..###" ])

let show generation =
  let cell x y = if Option.is_some (Cells.find generation (x, y)) then '#' else '.' in
  for y = 0 to 29 do
    print_endline (String.init 60 (fun x -> cell (x - 2) (y - 2)))
  done

let () =
  let n = if Array.length Sys.argv > 1 then int_of_string Sys.argv.(1) else 200 in
  let rec loop k generation = if k = 0 then generation else loop (k - 1) (next generation) in
  let last = loop n (alive (gun @ acorn)) in
  let places = Cells.fold (fun (x, y) () sum -> sum + (3 * x) + (7 * y)) 0 last in
  if Array.length Sys.argv > 2 then show last;
  Printf.printf "generation %d: %d cells, check sum %d\n" n (Cells.size last) places
