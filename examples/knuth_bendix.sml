(* Knuth and Bendix's completion of equations to a confluent rewriting system, after the program that came with Caml Light.
   The equations are the axioms of groups. Argument: number of repetitions (300); the program prints the rules once. *)

datatype term = Var of int | Term of string * term list

type rule = {number : int, variables : int, left : term, right : term}

exception Failure of string

fun variables term =
  let
    fun add (x, xs) = if List.exists (fn y => x = y) xs then xs else x :: xs
    fun go (Var x, xs) = add (x, xs)
      | go (Term (_, ts), xs) = foldl go xs ts
  in
    go (term, [])
  end

fun lookup ([], _) = NONE
  | lookup ((x : int, t) :: rest, y) = if x = y then SOME t else lookup (rest, y)

fun substitute subst term =
  case term of
      Var x => (case lookup (subst, x) of SOME t => t | NONE => term)
    | Term (f, ts) => Term (f, map (substitute subst) ts)

exception NoMatch

(* Returns the substitution that turns `pattern` into `term`. *)
fun match (pattern, term) =
  let
    fun go ((Var x, t), subst) =
      (case lookup (subst, x) of
           NONE => (x, t) :: subst
         | SOME u => if t = u then subst else raise NoMatch)
      | go ((Term (f, ts), Term (g, us)), subst) =
          if f = g then
            ListPair.foldl (fn (t, u, subst) => go ((t, u), subst)) subst (ts, us)
          else
            raise NoMatch
      | go _ = raise NoMatch
  in
    go ((pattern, term), [])
  end

exception NoUnifier

fun occurs (x : int, Var y) = x = y
  | occurs (x, Term (_, ts)) = List.exists (fn t => occurs (x, t)) ts

fun compose (s, t) = map (fn (x, u) => (x, substitute s u)) t @ s

fun unify (Var x, t) = if t = Var x then [] else if occurs (x, t) then raise NoUnifier else [(x, t)]
  | unify (t, Var x) = if occurs (x, t) then raise NoUnifier else [(x, t)]
  | unify (Term (f, ts), Term (g, us)) =
      if f = g then
        ListPair.foldl (fn (t, u, s) => compose (unify (substitute s t, substitute s u), s)) []
          (ts, us)
      else
        raise NoUnifier

(* Rewrites once, at the outermost place where a rule applies. *)
fun rewriteTop (rules : rule list, term) =
  case rules of
      [] => NONE
    | {left, right, ...} :: rest =>
        (SOME (substitute (match (left, term)) right) handle NoMatch => rewriteTop (rest, term))

fun normal rules term =
  case rewriteTop (rules, term) of
      SOME t => normal rules t
    | NONE =>
        (case term of
             Var _ => term
           | Term (f, ts) =>
               let
                 val us = map (normal rules) ts
                 val next = Term (f, us)
               in
                 case rewriteTop (rules, next) of
                     SOME t => normal rules t
                   | NONE => next
               end)

(* Recursive path ordering: compares symbols by weight, and arguments from the left. *)
datatype ordering = Greater | Equal | Incomparable

fun weight "I" = 3
  | weight "*" = 2
  | weight "E" = 1
  | weight _ = 0

fun compareSymbols (f, g) =
  let
    val a = weight f
    val b = weight g
  in
    if a > b then Greater else if a = b then Equal else Incomparable
  end

fun path (m, n) =
  if m = n then
    Equal
  else
    case (m, n) of
        (Var _, _) => Incomparable
      | (Term _, Var x) => if occurs (x, m) then Greater else Incomparable
      | (Term (f, ms), Term (g, ns)) =>
          (case compareSymbols (f, g) of
               Greater =>
                 if List.all (fn n => path (m, n) = Greater) ns then Greater else Incomparable
             | Equal =>
                 let
                   fun lexical ([], []) = Equal
                     | lexical (x :: xs, y :: ys) =
                         (case path (x, y) of
                              Greater =>
                                if List.all (fn n => path (m, n) = Greater) ys then
                                  Greater
                                else
                                  Incomparable
                            | Equal => lexical (xs, ys)
                            | Incomparable =>
                                if List.exists (atLeast n) (x :: xs) then Greater else Incomparable)
                     | lexical _ = raise Failure "arity"
                 in
                   lexical (ms, ns)
                 end
             | Incomparable => if List.exists (atLeast n) ms then Greater else Incomparable)
and atLeast n m = path (m, n) <> Incomparable

fun greater (m, n) = path (m, n) = Greater

(* Numbers the variables from 1, so that equal rules are equal terms. *)
fun makeRule (number, m, n) : rule =
  let
    val xs = rev (variables m)
    fun numbered ([], _) = []
      | numbered (x :: rest, k) = (x, Var k) :: numbered (rest, k + 1)
    val subst = numbered (xs, 1)
  in
    {number = number, variables = length xs, left = substitute subst m, right = substitute subst n}
  end

(* Returns the critical pairs of two rules: the rule `left` overlaps `m` at a place that is not a variable. *)
fun critical (left : term, right, m : term, n) =
  let
    fun here (t, context) =
      (let
         val s = unify (left, t)
       in
         [(substitute s (context right), substitute s n)]
       end)
        handle NoUnifier => []
    fun at (Var _, _) = []
      | at (t as Term (f, ts), context) =
          let
            fun arguments (_, []) = []
              | arguments (before_, u :: after) =
                  at (u, fn v => context (Term (f, rev before_ @ v :: after)))
                    @ arguments (u :: before_, after)
          in
            here (t, context) @ arguments ([], ts)
          end
  in
    at (m, fn v => v)
  end

fun shift k term =
  case term of
      Var x => Var (x + k)
    | Term (f, ts) => Term (f, map (shift k) ts)

fun pairs (r : rule, s : rule) =
  let
    val left = shift (#variables s) (#left r)
    val right = shift (#variables s) (#right r)
  in
    critical (left, right, #left s, #right s)
  end

fun complete (equations, greater) =
  let
    fun reducible (rule : rule, t) =
      let
        fun go t =
          (ignore (match (#left rule, t)); true)
            handle NoMatch => (case t of Var _ => false | Term (_, ts) => List.exists go ts)
      in
        go t
      end
    (* All pairs of rules in `done` are in `equations`, or are joined. *)
    fun process (number, done : rule list, waiting : rule list, equations) =
      case equations of
          (m, n) :: rest =>
            let
              val rules = waiting @ done
              val m = normal rules m
              val n = normal rules n
            in
              if m = n then
                process (number, done, waiting, rest)
              else if greater (m, n) then
                orient (number, done, waiting, rest, m, n)
              else if greater (n, m) then
                orient (number, done, waiting, rest, n, m)
              else
                raise Failure "an equation that cannot be oriented"
            end
        | [] =>
            (case waiting of
                 [] => rev done
               | first :: others =>
                   let
                     (* Puts the rule with the smallest left side first. *)
                     fun size (Var _) = 1
                       | size (Term (_, ts)) = foldl (fn (t, n) => n + size t) 1 ts
                     fun pick ([], best, rest) = (best, rest)
                       | pick ((r : rule) :: rs, best : rule, rest) =
                           if size (#left r) < size (#left best) then
                             pick (rs, r, best :: rest)
                           else
                             pick (rs, best, r :: rest)
                     val (rule, waiting) = pick (others, first, [])
                     val new =
                       List.concat (map (fn r => pairs (rule, r) @ pairs (r, rule)) done)
                         @ pairs (rule, rule)
                   in
                     process (number, rule :: done, waiting, new)
                   end)
    and orient (number, done, waiting, equations, m, n) =
      let
        val rule = makeRule (number, m, n)
        fun split rules = List.partition (fn r : rule => reducible (rule, #left r)) rules
        val (badDone, done) = split done
        val (badWaiting, waiting) = split waiting
        val again = map (fn {left, right, ...} : rule => (left, right)) (badDone @ badWaiting)
        fun simplify rules =
          map
            (fn {number, left, right, ...} : rule =>
               makeRule (number, left, normal (rule :: waiting @ done) right)) rules
      in
        process (number + 1, simplify done, rule :: simplify waiting, again @ equations)
      end
  in
    process (1, [], [], equations)
  end

fun show term =
  case term of
      Var x => "v" ^ Int.toString x
    | Term (f, []) => f
    | Term ("*", [a, b]) => "(" ^ show a ^ " * " ^ show b ^ ")"
    | Term (f, ts) => f ^ "(" ^ String.concatWith ", " (map show ts) ^ ")"

val e = Term ("E", [])
fun inverse t = Term ("I", [t])
fun times (a, b) = Term ("*", [a, b])

val groups =
  [(times (e, Var 1), Var 1),
   (times (inverse (Var 1), Var 1), e),
   (times (times (Var 1, Var 2), Var 3), times (Var 1, times (Var 2, Var 3)))]

fun main () =
  let
    val n = case CommandLine.arguments () of s :: _ => valOf (Int.fromString s) | [] => 300
    fun loop 0 = complete (groups, greater)
      | loop k = (ignore (complete (groups, greater)); loop (k - 1))
    val rules = loop (n - 1)
  in
    app (fn {left, right, ...} : rule => print (show left ^ " -> " ^ show right ^ "\n")) rules;
    print (Int.toString (length rules) ^ " rules\n")
  end

val () = main ()
