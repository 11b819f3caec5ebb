(* Semicolons anywhere between declarations and specifications. *)
signature S = sig val a : int; type t;; val b : t; end;
structure M : S = struct val a = 1; type t = string;; val b = "b"; fun f x = x; end;
;
functor F (structure X : S; val extra : int) = struct val s = Int.toString (X.a + extra); end;
structure R = F (structure X = M; val extra = 41;);
print (R.s ^ "\n");
