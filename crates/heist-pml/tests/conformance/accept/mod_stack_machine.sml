(* A compiler to a stack machine, in three structures. *)
structure Syntax = struct datatype exp = Num of int | Var of string | Bin of char * exp * exp | Let of string * exp * exp end
structure Machine = struct
  datatype code = Push of int | Load of int | Do of char | Slide
  fun run (code, stack) =
    case (code, stack) of
      ([], s) => hd s
    | (Push n :: c, s) => run (c, n :: s)
    | (Load i :: c, s) => run (c, List.nth (s, i) :: s)
    | (Slide :: c, x :: _ :: s) => run (c, x :: s)
    | (Do f :: c, y :: x :: s) => run (c, (case f of #"+" => x + y | #"*" => x * y | _ => x - y) :: s)
    | _ => raise Fail "stack"
end
structure Compiler = struct
  open Syntax Machine
  fun place (x, y :: ys) = if x = y then 0 else 1 + place (x, ys) | place (x, []) = raise Fail x
  fun comp (Num n, _) = [Push n] | comp (Var x, env) = [Load (place (x, env))]
    | comp (Bin (f, a, b), env) = comp (a, env) @ comp (b, "" :: env) @ [Do f]
    | comp (Let (x, a, b), env) = comp (a, env) @ comp (b, x :: env) @ [Slide]
end
local open Syntax in val e = Let ("x", Bin (#"+", Num 2, Num 3), Bin (#"*", Var "x", Let ("y", Bin (#"-", Var "x", Num 1), Bin (#"+", Var "y", Var "x")))) end
val code = Compiler.comp (e, [])
val () = print (Int.toString (length code) ^ " " ^ Int.toString (Machine.run (code, [])) ^ "\n")
