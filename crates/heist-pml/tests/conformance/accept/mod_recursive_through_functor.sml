(* An interpreter built from functors: syntax, environment, evaluator. *)
signature ENV = sig type 'a env val empty : 'a env val bind : 'a env * string * 'a -> 'a env exception Unbound of string val find : 'a env * string -> 'a end
structure Env :> ENV = struct
  type 'a env = string -> 'a option
  exception Unbound of string
  fun empty _ = NONE
  fun bind (e, x, v) y = if x = y then SOME v else e y
  fun find (e, x) = case e x of SOME v => v | NONE => raise Unbound x
end
functor Eval (E : ENV) = struct
  datatype exp = Int of int | Var of string | Lam of string * exp | App of exp * exp | Add of exp * exp | If0 of exp * exp * exp | Fix of string * string * exp
  datatype value = I of int | F of value -> value
  fun eval env (Int n) = I n
    | eval env (Var x) = E.find (env, x)
    | eval env (Lam (x, e)) = F (fn v => eval (E.bind (env, x, v)) e)
    | eval env (App (f, a)) = (case eval env f of F g => g (eval env a) | I _ => raise Fail "not a function")
    | eval env (Add (a, b)) = (case (eval env a, eval env b) of (I m, I n) => I (m + n) | _ => raise Fail "not numbers")
    | eval env (If0 (c, a, b)) = (case eval env c of I 0 => eval env a | _ => eval env b)
    | eval env (Fix (f, x, e)) = F (fn v => eval (E.bind (E.bind (env, f, eval env (Fix (f, x, e))), x, v)) e)
  fun run e = case eval E.empty e of I n => Int.toString n | F _ => "fn"
end
structure Ev = Eval (Env)
open Ev
val sum = Fix ("sum", "n", If0 (Var "n", Int 0, Add (Var "n", App (Var "sum", Add (Var "n", Int ~1)))))
val () = print (run (App (sum, Int 100)) ^ " " ^ run (Lam ("x", Var "x")) ^ " " ^ (run (App (Int 1, Int 2)) handle Fail m => m) ^ " " ^ (run (Var "y") handle Env.Unbound x => "unbound " ^ x) ^ "\n")
