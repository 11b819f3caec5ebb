type json =
  | Null
  | Bool of bool
  | Number of float
  | String of string
  | Array of json list
  | Object of (string * json) list

exception Syntax of int * string

let fail i what = raise (Syntax (i, what))
let is_space c = c = ' ' || ('\t' <= c && c <= '\r')

let parse text =
  let n = String.length text in
  let rec skip i = if i < n && is_space text.[i] then skip (i + 1) else i in
  let expect i word value =
    let k = String.length word in
    if i + k <= n && String.sub text i k = word then (value, i + k) else fail i (word ^ " expected")
  in
  let string start =
    let rec plain from i made =
      if i >= n then fail i "a string that does not end"
      else
        match text.[i] with
        | '"' -> (String.concat "" (List.rev (String.sub text from (i - from) :: made)), i + 1)
        | '\\' -> escape (i + 1) (String.sub text from (i - from) :: made)
        | _ -> plain from (i + 1) made
    and escape i made =
      if i >= n then fail i "an escape that does not end"
      else
        match text.[i] with
        | 'n' -> plain (i + 1) (i + 1) ("\n" :: made)
        | 't' -> plain (i + 1) (i + 1) ("\t" :: made)
        | '"' -> plain (i + 1) (i + 1) ("\"" :: made)
        | '\\' -> plain (i + 1) (i + 1) ("\\" :: made)
        | '/' -> plain (i + 1) (i + 1) ("/" :: made)
        | c -> fail i ("no escape: " ^ String.make 1 c)
    in
    plain start start []
  in
  let number i =
    let part c = ('0' <= c && c <= '9') || String.contains "+-.eE" c in
    let rec stop j = if j < n && part text.[j] then stop (j + 1) else j in
    let j = stop i in
    match float_of_string_opt (String.sub text i (j - i)) with
    | Some r -> (Number r, j)
    | None -> fail i "a value expected"
  in
  let rec value i =
    let i = skip i in
    if i >= n then fail i "a value expected"
    else
      match text.[i] with
      | 'n' -> expect i "null" Null
      | 't' -> expect i "true" (Bool true)
      | 'f' -> expect i "false" (Bool false)
      | '"' ->
          let s, i = string (i + 1) in
          (String s, i)
      | '[' -> array (skip (i + 1))
      | '{' -> obj (skip (i + 1))
      | _ -> number i
  and array i =
    if i < n && text.[i] = ']' then (Array [], i + 1)
    else
      let rec items i made =
        let v, i = value i in
        let i = skip i in
        if i >= n then fail i "] expected"
        else
          match text.[i] with
          | ',' -> items (i + 1) (v :: made)
          | ']' -> (Array (List.rev (v :: made)), i + 1)
          | _ -> fail i "] expected"
      in
      items i []
  and obj i =
    if i < n && text.[i] = '}' then (Object [], i + 1)
    else
      let rec fields i made =
        let i = skip i in
        if not (i < n && text.[i] = '"') then fail i "a name expected";
        let name, i = string (i + 1) in
        let i = skip i in
        if not (i < n && text.[i] = ':') then fail i ": expected";
        let v, i = value (i + 1) in
        let i = skip i in
        if i >= n then fail i "} expected"
        else
          match text.[i] with
          | ',' -> fields (i + 1) ((name, v) :: made)
          | '}' -> (Object (List.rev ((name, v) :: made)), i + 1)
          | _ -> fail i "} expected"
      in
      fields i []
  in
  let v, i = value 0 in
  let i = skip i in
  if i = n then v else fail i "more after the value"

let quote s =
  let pieces =
    List.init (String.length s) (fun i ->
        match s.[i] with '\n' -> "\\n" | '\t' -> "\\t" | '"' -> "\\\"" | '\\' -> "\\\\" | c -> String.make 1 c)
  in
  "\"" ^ String.concat "" pieces ^ "\""

let number r =
  let k = int_of_float r in
  if float k = r then string_of_int k else Printf.sprintf "%.12g" r

let rec pieces v made =
  match v with
  | Null -> "null" :: made
  | Bool b -> string_of_bool b :: made
  | Number r -> number r :: made
  | String s -> quote s :: made
  | Array [] -> "[]" :: made
  | Array (first :: rest) ->
      "]" :: List.fold_left (fun made v -> pieces v ("," :: made)) (pieces first ("[" :: made)) rest
  | Object [] -> "{}" :: made
  | Object ((name, v) :: rest) ->
      "}"
      :: List.fold_left
           (fun made (name, v) -> pieces v (":" :: quote name :: "," :: made))
           (pieces v (":" :: quote name :: "{" :: made))
           rest

let to_string v = String.concat "" (List.rev (pieces v []))

let rec all2 p xs ys = match (xs, ys) with [], [] -> true | x :: xs, y :: ys -> p x y && all2 p xs ys | _ -> false

let rec same v w =
  match (v, w) with
  | Null, Null -> true
  | Bool a, Bool b -> a = b
  | Number a, Number b -> a = b
  | String a, String b -> a = b
  | Array a, Array b -> all2 same a b
  | Object a, Object b -> all2 (fun (x, v) (y, w) -> x = y && same v w) a b
  | _ -> false

let larger (a : int) b = if a > b then a else b

let rec depth = function
  | Array vs -> 1 + List.fold_left (fun d v -> larger d (depth v)) 0 vs
  | Object fs -> 1 + List.fold_left (fun d (_, v) -> larger d (depth v)) 0 fs
  | _ -> 0

let rec sum = function
  | Number r -> r
  | Array vs -> List.fold_left (fun s v -> s +. sum v) 0.0 vs
  | Object fs -> List.fold_left (fun s (_, v) -> s +. sum v) 0.0 fs
  | _ -> 0.0

let record i =
  Object
    [
      ("id", Number (float i));
      ("name", String ("item \"" ^ string_of_int i ^ "\"\n"));
      ("price", Number (float (i mod 100) +. 0.25));
      ("tags", Array (List.init (i mod 4) (fun k -> String (String.make 1 (Char.chr (97 + k))))));
      ("stock", if i mod 3 = 0 then Null else Object [ ("here", Bool (i mod 2 = 0)); ("there", Number (float (-i))) ]);
    ]

let () =
  let n = if Array.length Sys.argv > 1 then int_of_string Sys.argv.(1) else 5000 in
  let document = Array (List.init n record) in
  let text = to_string document in
  let parsed = parse text in
  Printf.printf "%d characters, depth %d, sum %s%s\n" (String.length text) (depth parsed)
    (number (sum parsed))
    (if same document parsed then ", same" else ", DIFFERENT");
  print_endline (to_string (parse " { \"a\" : [1, -2.5e1, true, {}], \"b\\t\" : null } "));
  List.iter
    (fun bad ->
      try
        ignore (parse bad);
        print_endline "accepted?"
      with Syntax (i, what) -> Printf.printf "at %d: %s\n" i what)
    [ "[1, 2"; "{\"a\" 1}"; "\"open"; "[1] 2"; "nul"; "" ]
