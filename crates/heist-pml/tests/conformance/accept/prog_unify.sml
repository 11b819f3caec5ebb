(* First-order unification and type inference for a small language. *)
datatype ty = Var of ty option ref * int | Arrow of ty * ty | Int | Bool | List of ty
datatype exp = V of string | L of string * exp | A of exp * exp | N of int | B of bool | Nil | If of exp * exp * exp
exception Type of string
val next = ref 0
fun fresh () = (next := !next + 1; Var (ref NONE, !next))
fun find (Var (r as ref (SOME t), _)) = let val t' = find t in r := SOME t'; t' end | find t = t
fun occurs (r, t) = case find t of Var (r', _) => r = r' | Arrow (a, b) => occurs (r, a) orelse occurs (r, b) | List a => occurs (r, a) | _ => false
fun unify (s, t) = case (find s, find t) of
    (Var (r, _), Var (r', _)) => if r = r' then () else r := SOME (find t)
  | (Var (r, _), t') => if occurs (r, t') then raise Type "circular" else r := SOME t'
  | (s', Var (r, _)) => if occurs (r, s') then raise Type "circular" else r := SOME s'
  | (Arrow (a, b), Arrow (c, d)) => (unify (a, c); unify (b, d))
  | (Int, Int) => () | (Bool, Bool) => () | (List a, List b) => unify (a, b)
  | _ => raise Type "mismatch"
fun infer env (V x) = (case List.find (fn (y, _) => x = y) env of SOME (_, t) => t () | NONE => raise Type ("unbound " ^ x))
  | infer env (L (x, e)) = let val t = fresh () in Arrow (t, infer ((x, fn () => t) :: env) e) end
  | infer env (A (f, a)) = let val tf = infer env f val ta = infer env a val r = fresh () in unify (tf, Arrow (ta, r)); r end
  | infer _ (N _) = Int | infer _ (B _) = Bool | infer _ Nil = List (fresh ())
  | infer env (If (c, a, b)) = let val t = infer env a in unify (infer env c, Bool); unify (t, infer env b); t end
fun show t = let
    val names = ref []
    fun name n = let fun go ([], k) = (names := !names @ [n]; k) | go (m :: r, k) = if m = n then k else go (r, k + 1) in str (chr (97 + go (!names, 0))) end
    fun go t = case find t of Var (_, n) => "'" ^ name n | Int => "int" | Bool => "bool" | List t => go t ^ " list"
      | Arrow (a, b) => (case find a of Arrow _ => "(" ^ go a ^ ")" | _ => go a) ^ " -> " ^ go b
  in go t end
val env = [("plus", fn () => Arrow (Int, Arrow (Int, Int))), ("cons", fn () => let val a = fresh () in Arrow (a, Arrow (List a, List a)) end)]
fun test e = print ((show (infer env e) handle Type m => "error: " ^ m) ^ "\n")
val () = app test [L ("x", V "x"), L ("f", L ("g", L ("x", A (V "f", A (V "g", V "x"))))), A (A (V "cons", N 1), Nil), L ("x", A (V "x", V "x")), A (V "plus", B true), If (B true, L ("x", A (A (V "plus", V "x"), N 1)), L ("y", V "y")), V "z", L ("l", A (A (V "cons", V "l"), Nil))]
