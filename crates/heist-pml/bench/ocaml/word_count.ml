type 'a table = { mutable size : int; mutable chains : (string * 'a ref) list array }

let table () = { size = 0; chains = Array.make 64 [] }

let hash s =
  let n = String.length s in
  let rec go i h = if i = n then h else go (i + 1) (((h * 31) + Char.code s.[i]) mod 1073741823) in
  go 0 7

let rec find word = function
  | [] -> None
  | (other, cell) :: rest -> if String.equal other word then Some cell else find word rest

let grow table =
  let n = 2 * Array.length table.chains in
  let bigger = Array.make n [] in
  let move ((word, _) as entry) =
    let i = hash word mod n in
    bigger.(i) <- entry :: bigger.(i)
  in
  Array.iter (List.iter move) table.chains;
  table.chains <- bigger

let cell table word initial =
  let i = hash word mod Array.length table.chains in
  match find word table.chains.(i) with
  | Some cell -> cell
  | None ->
      let cell = ref initial in
      table.chains.(i) <- (word, cell) :: table.chains.(i);
      table.size <- table.size + 1;
      if table.size > 2 * Array.length table.chains then grow table;
      cell

let entries table = Array.fold_left (fun all chain -> chain @ all) [] table.chains

let sort less entries =
  let rec merge xs ys =
    match (xs, ys) with
    | [], ys -> ys
    | xs, [] -> xs
    | x :: xs', y :: ys' -> if less y x then y :: merge xs ys' else x :: merge xs' ys
  in
  let rec split xs a b = match xs with [] -> (a, b) | x :: rest -> split rest (x :: b) a in
  let rec go = function
    | [] -> []
    | [ x ] -> [ x ]
    | xs ->
        let a, b = split xs [] [] in
        merge (go a) (go b)
  in
  go entries

let text n =
  let syllables = [| "ta"; "ro"; "mi"; "ne"; "lu"; "ka"; "so"; "vi"; "en"; "or"; "da"; "pe"; "shi"; "gra"; "um"; "el" |] in
  let rec go k seed pieces =
    if k = 0 then String.concat "" (List.rev pieces)
    else
      let a = ((seed * 1103515245) + 12345) mod 2147483648 in
      let b = ((a * 1103515245) + 12345) mod 2147483648 in
      let syllable d =
        let i = b / d mod 16 and j = b / (d * 16) mod 16 in
        syllables.(if i < j then i else j)
      in
      let word =
        match a / 65536 mod 4 with
        | 0 -> syllable 1024
        | 3 -> syllable 1024 ^ syllable 131072 ^ syllable 4096
        | _ -> syllable 1024 ^ syllable 131072
      in
      let gap = if k mod 11 = 0 then ". " else if k mod 5 = 0 then ",\n" else " " in
      go (k - 1) b (gap :: word :: pieces)
  in
  go n 2024 []

let read file =
  let input = open_in_bin file in
  let s = really_input_string input (in_channel_length input) in
  close_in input;
  s

let is_alpha c = ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z')

let tokens s =
  let n = String.length s in
  let rec skip i words = if i = n then List.rev words else if is_alpha s.[i] then word i (i + 1) words else skip (i + 1) words
  and word from i words =
    if i < n && is_alpha s.[i] then word from (i + 1) words else skip i (String.sub s from (i - from) :: words)
  in
  skip 0 []

let () =
  let text =
    if Array.length Sys.argv < 2 then text 300000
    else match int_of_string_opt Sys.argv.(1) with Some n -> text n | None -> read Sys.argv.(1)
  in
  let counts = table () in
  let words = tokens (String.map Char.lowercase_ascii text) in
  List.iter (fun word -> incr (cell counts word 0)) words;
  let all = List.map (fun (word, cell) -> (word, !cell)) (entries counts) in
  let less (w, (m : int)) (v, n) = m > n || (m = n && String.compare w v < 0) in
  let sorted = sort less all in
  let rec take k xs = match xs with x :: xs when k > 0 -> x :: take (k - 1) xs | _ -> [] in
  Printf.printf "%d words, %d different\n" (List.length words) (List.length all);
  List.iter (fun (word, n) -> Printf.printf "%7d %s\n" n word) (take 10 sorted)
