type regex =
  | Empty
  | Any
  | Char of char
  | Class of bool * (char * char) list
  | Seq of regex * regex
  | Alt of regex * regex
  | Star of regex

exception Syntax of string

let explode s = List.init (String.length s) (String.get s)

let parse text =
  let rec alternatives cs =
    let r, rest = sequence cs in
    match rest with
    | '|' :: rest ->
        let s, rest = alternatives rest in
        (Alt (r, s), rest)
    | _ -> (r, rest)
  and sequence cs =
    match cs with
    | [] -> (Empty, [])
    | ('|' | ')') :: _ -> (Empty, cs)
    | _ ->
        let r, rest = repeated (atom cs) in
        let s, rest = sequence rest in
        ((match s with Empty -> r | _ -> Seq (r, s)), rest)
  and repeated = function
    | r, '*' :: rest -> repeated (Star r, rest)
    | r, '+' :: rest -> repeated (Seq (r, Star r), rest)
    | r, '?' :: rest -> repeated (Alt (r, Empty), rest)
    | found -> found
  and atom = function
    | '(' :: cs -> ( match alternatives cs with r, ')' :: rest -> (r, rest) | _ -> raise (Syntax "no )"))
    | '[' :: '^' :: cs -> char_class true cs []
    | '[' :: cs -> char_class false cs []
    | '.' :: cs -> (Any, cs)
    | '\\' :: c :: cs -> (Char c, cs)
    | (('*' | '+' | '?') as c) :: _ -> raise (Syntax ("nothing before " ^ String.make 1 c))
    | c :: cs -> (Char c, cs)
    | [] -> raise (Syntax "ends too early")
  and char_class negative cs ranges =
    match cs with
    | ']' :: cs -> (Class (negative, ranges), cs)
    | a :: '-' :: b :: cs ->
        if b = ']' then char_class negative (b :: cs) ((a, a) :: ('-', '-') :: ranges)
        else char_class negative cs ((a, b) :: ranges)
    | a :: cs -> char_class negative cs ((a, a) :: ranges)
    | [] -> raise (Syntax "no ]")
  in
  match alternatives (explode text) with r, [] -> r | _ -> raise (Syntax "unmatched )")

let matches s =
  let n = String.length s in
  let inside (c : char) ranges = List.exists (fun (a, b) -> a <= c && c <= b) ranges in
  let rec go r i k =
    match r with
    | Empty -> k i
    | Any -> i < n && k (i + 1)
    | Char c -> i < n && s.[i] = c && k (i + 1)
    | Class (negative, ranges) -> i < n && inside s.[i] ranges != negative && k (i + 1)
    | Seq (a, b) -> go a i (fun j -> go b j k)
    | Alt (a, b) -> go a i k || go b i k
    | Star a -> go a i (fun j -> j > i && go r j k) || k i
  in
  go

let whole r s = matches s r 0 (fun i -> i = String.length s)

let somewhere r s =
  let go = matches s in
  let rec from i = i <= String.length s && (go r i (fun _ -> true) || from (i + 1)) in
  from 0

let patterns =
  [ "(a|b)*abb"; "[a-z]+@[a-z]+\\.(com|org)"; "[^aeiou ]+ing"; "x?y+z*"; "((ab)+|c)*d"; "[0-9][0-9]?:[0-5][0-9]" ]

let syllables = [| "ab"; "ba"; "abb"; "sing"; "ring"; "yyz"; "12:45"; "joe@home.org"; "c"; "d"; "xyzzy"; "e" |]

let line seed =
  let rec go k x words =
    if k = 0 then String.concat " " words
    else
      let x = ((x * 1103515245) + 12345) mod 2147483648 in
      let a = syllables.(x / 65536 mod 12) in
      let b = if x / 4096 mod 3 = 0 then syllables.(x / 1048576 mod 12) else "" in
      go (k - 1) x ((a ^ b) :: words)
  in
  go 6 seed []

let tokens s = List.filter (fun w -> w <> "") (String.split_on_char ' ' s)

let () =
  let n = if Array.length Sys.argv > 1 then int_of_string Sys.argv.(1) else 20000 in
  let lines = List.init n line in
  let count p = List.fold_left (fun k s -> if p s then k + 1 else k) 0 lines in
  let report pattern =
    let r = parse pattern in
    let found = count (somewhere r) in
    let exact = count (fun s -> List.exists (whole r) (tokens s)) in
    Printf.printf "%s: %d lines, %d with such a word\n" pattern found exact
  in
  List.iter report patterns;
  try ignore (parse "(a") with Syntax message -> print_endline ("(a: " ^ message)
