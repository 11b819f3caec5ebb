(* A simplifier, the usual exercise for nested patterns. *)
datatype exp = Num of int | Var of string | Add of exp * exp | Mul of exp * exp | Neg of exp
fun simp (Add (Num 0, e)) = simp e
  | simp (Add (e, Num 0)) = simp e
  | simp (Add (Num a, Num b)) = Num (a + b)
  | simp (Mul (Num 0, _)) = Num 0
  | simp (Mul (_, Num 0)) = Num 0
  | simp (Mul (Num 1, e)) = simp e
  | simp (Mul (e, Num 1)) = simp e
  | simp (Neg (Neg e)) = simp e
  | simp (Neg (Num n)) = Num (~n)
  | simp (Add (a, b)) = again (Add (simp a, simp b)) (Add (a, b))
  | simp (Mul (a, b)) = again (Mul (simp a, simp b)) (Mul (a, b))
  | simp (Neg e) = again (Neg (simp e)) (Neg e)
  | simp e = e
and again new old = if new = old then new else simp new
fun str (Num n) = Int.toString n
  | str (Var x) = x
  | str (Add (a, b)) = "(" ^ str a ^ "+" ^ str b ^ ")"
  | str (Mul (a as Add _, b)) = str a ^ "*" ^ str b
  | str (Mul (a, b)) = str a ^ "*" ^ str b
  | str (Neg e) = "-" ^ str e
val e1 = Add (Mul (Num 1, Var "x"), Mul (Num 0, Var "y"))
val e2 = Neg (Neg (Add (Mul (Add (Num 2, Num 3), Var "z"), Neg (Num 4))))
val e3 = Mul (Add (Num 0, Num 0), Var "q")
val () = app (fn e => print (str e ^ " = " ^ str (simp e) ^ "\n")) [e1, e2, e3]
