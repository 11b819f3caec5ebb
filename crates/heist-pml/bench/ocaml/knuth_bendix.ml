type term = Var of int | Term of string * term list
type rule = { number : int; variables : int; left : term; right : term }

exception Failure of string

let variables term =
  let add xs (x : int) = if List.exists (fun y -> x = y) xs then xs else x :: xs in
  let rec go xs = function Var x -> add xs x | Term (_, ts) -> List.fold_left go xs ts in
  go [] term

let rec lookup subst (y : int) =
  match subst with [] -> None | (x, t) :: rest -> if x = y then Some t else lookup rest y

let rec substitute subst term =
  match term with
  | Var x -> ( match lookup subst x with Some t -> t | None -> term)
  | Term (f, ts) -> Term (f, List.map (substitute subst) ts)

exception No_match

let matching pattern term =
  let rec go subst pattern term =
    match (pattern, term) with
    | Var x, t -> (
        match lookup subst x with None -> (x, t) :: subst | Some u -> if t = u then subst else raise No_match)
    | Term (f, ts), Term (g, us) -> if f = g then List.fold_left2 go subst ts us else raise No_match
    | _ -> raise No_match
  in
  go [] pattern term

exception No_unifier

let rec occurs (x : int) = function Var y -> x = y | Term (_, ts) -> List.exists (occurs x) ts
let compose s t = List.map (fun (x, u) -> (x, substitute s u)) t @ s

let rec unify t u =
  match (t, u) with
  | Var x, t -> if t = Var x then [] else if occurs x t then raise No_unifier else [ (x, t) ]
  | t, Var x -> if occurs x t then raise No_unifier else [ (x, t) ]
  | Term (f, ts), Term (g, us) ->
      if f = g then List.fold_left2 (fun s t u -> compose (unify (substitute s t) (substitute s u)) s) [] ts us
      else raise No_unifier

let rec rewrite_top rules term =
  match rules with
  | [] -> None
  | { left; right; _ } :: rest -> (
      match matching left term with subst -> Some (substitute subst right) | exception No_match -> rewrite_top rest term)

let rec normal rules term =
  match rewrite_top rules term with
  | Some t -> normal rules t
  | None -> (
      match term with
      | Var _ -> term
      | Term (f, ts) -> (
          let us = List.map (normal rules) ts in
          let next = Term (f, us) in
          match rewrite_top rules next with Some t -> normal rules t | None -> next))

type ordering = Greater | Equal | Incomparable

let weight = function "I" -> 3 | "*" -> 2 | "E" -> 1 | _ -> 0

let compare_symbols f g =
  let a = weight f in
  let b = weight g in
  if a > b then Greater else if a = b then Equal else Incomparable

let rec path m n =
  if m = n then Equal
  else
    match (m, n) with
    | Var _, _ -> Incomparable
    | Term _, Var x -> if occurs x m then Greater else Incomparable
    | Term (f, ms), Term (g, ns) -> (
        match compare_symbols f g with
        | Greater -> if List.for_all (fun n -> path m n = Greater) ns then Greater else Incomparable
        | Equal ->
            let rec lexical xs ys =
              match (xs, ys) with
              | [], [] -> Equal
              | x :: xs', y :: ys -> (
                  match path x y with
                  | Greater -> if List.for_all (fun n -> path m n = Greater) ys then Greater else Incomparable
                  | Equal -> lexical xs' ys
                  | Incomparable -> if List.exists (at_least n) xs then Greater else Incomparable)
              | _ -> raise (Failure "arity")
            in
            lexical ms ns
        | Incomparable -> if List.exists (at_least n) ms then Greater else Incomparable)

and at_least n m = path m n <> Incomparable

let greater m n = path m n = Greater

let make_rule number m n =
  let xs = List.rev (variables m) in
  let rec numbered xs k = match xs with [] -> [] | x :: rest -> (x, Var k) :: numbered rest (k + 1) in
  let subst = numbered xs 1 in
  { number; variables = List.length xs; left = substitute subst m; right = substitute subst n }

let critical left right m n =
  let here t context =
    match unify left t with s -> [ (substitute s (context right), substitute s n) ] | exception No_unifier -> []
  in
  let rec at t context =
    match t with
    | Var _ -> []
    | Term (f, ts) ->
        let rec arguments before = function
          | [] -> []
          | u :: after ->
              at u (fun v -> context (Term (f, List.rev_append before (v :: after)))) @ arguments (u :: before) after
        in
        here t context @ arguments [] ts
  in
  at m (fun v -> v)

let rec shift k = function Var x -> Var (x + k) | Term (f, ts) -> Term (f, List.map (shift k) ts)

let pairs r s =
  let left = shift s.variables r.left in
  let right = shift s.variables r.right in
  critical left right s.left s.right

let complete equations greater =
  let reducible rule t =
    let rec go t =
      match matching rule.left t with
      | _ -> true
      | exception No_match -> ( match t with Var _ -> false | Term (_, ts) -> List.exists go ts)
    in
    go t
  in
  let rec process number finished waiting equations =
    match equations with
    | (m, n) :: rest ->
        let rules = waiting @ finished in
        let m = normal rules m in
        let n = normal rules n in
        if m = n then process number finished waiting rest
        else if greater m n then orient number finished waiting rest m n
        else if greater n m then orient number finished waiting rest n m
        else raise (Failure "an equation that cannot be oriented")
    | [] -> (
        match waiting with
        | [] -> List.rev finished
        | first :: others ->
            let rec size = function Var _ -> 1 | Term (_, ts) -> List.fold_left (fun n t -> n + size t) 1 ts in
            let rec pick rules best rest =
              match rules with
              | [] -> (best, rest)
              | r :: rs -> if size r.left < size best.left then pick rs r (best :: rest) else pick rs best (r :: rest)
            in
            let rule, waiting = pick others first [] in
            let fresh = List.concat (List.map (fun r -> pairs rule r @ pairs r rule) finished) @ pairs rule rule in
            process number (rule :: finished) waiting fresh)
  and orient number finished waiting equations m n =
    let rule = make_rule number m n in
    let split rules = List.partition (fun r -> reducible rule r.left) rules in
    let bad_finished, finished = split finished in
    let bad_waiting, waiting = split waiting in
    let again = List.map (fun { left; right; _ } -> (left, right)) (bad_finished @ bad_waiting) in
    let simplify rules =
      List.map (fun { number; left; right; _ } -> make_rule number left (normal ((rule :: waiting) @ finished) right)) rules
    in
    process (number + 1) (simplify finished) (rule :: simplify waiting) (again @ equations)
  in
  process 1 [] [] equations

let rec show = function
  | Var x -> "v" ^ string_of_int x
  | Term (f, []) -> f
  | Term ("*", [ a; b ]) -> "(" ^ show a ^ " * " ^ show b ^ ")"
  | Term (f, ts) -> f ^ "(" ^ String.concat ", " (List.map show ts) ^ ")"

let e = Term ("E", [])
let inverse t = Term ("I", [ t ])
let times a b = Term ("*", [ a; b ])

let groups =
  [
    (times e (Var 1), Var 1);
    (times (inverse (Var 1)) (Var 1), e);
    (times (times (Var 1) (Var 2)) (Var 3), times (Var 1) (times (Var 2) (Var 3)));
  ]

let () =
  let n = if Array.length Sys.argv > 1 then int_of_string Sys.argv.(1) else 300 in
  for _ = 2 to n do
    ignore (complete groups greater)
  done;
  let rules = complete groups greater in
  List.iter (fun { left; right; _ } -> print_endline (show left ^ " -> " ^ show right)) rules;
  Printf.printf "%d rules\n" (List.length rules)
