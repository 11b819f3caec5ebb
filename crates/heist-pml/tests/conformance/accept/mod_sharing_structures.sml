(* sharing of structures makes all types of the same name equal. *)
signature T = sig type a type b val make : int -> a val turn : a -> b end
signature U = sig type a type b val use : a * b -> string end
functor F (structure X : T structure Y : U sharing X = Y) = struct fun run n = let val a = X.make n in Y.use (a, X.turn a) end end
structure R = F (structure X = struct type a = int type b = string fun make n = n + 1 val turn = Int.toString end
                 structure Y = struct type a = int type b = string fun use (n, s) = s ^ ":" ^ Int.toString n end)
val () = print (R.run 41 ^ "\n")
