(* Recursion between structures through references. *)
structure Even = struct val odd : (int -> bool) ref = ref (fn _ => raise Fail "not yet") fun even 0 = true | even n = !odd (n - 1) end
structure Odd = struct fun odd 0 = false | odd n = Even.even (n - 1) val () = Even.odd := odd end
functor Fix (type a type b val body : (a -> b) -> a -> b) = struct fun f x = body f x end
structure Fact = Fix (type a = int type b = int fun body self n = if n = 0 then 1 else n * self (n - 1))
val () = print (Bool.toString (Even.even 10) ^ Bool.toString (Odd.odd 4) ^ Int.toString (Fact.f 6) ^ "\n")
