(* Exceptions are values: kept in lists, passed, raised later; exn as an open datatype. *)
exception Tag of string
exception Num of int
val store : exn list = [Tag "a", Num 1, Tag "b", Num 2, Empty]
val tags = List.mapPartial (fn Tag s => SOME s | _ => NONE) store
val total = foldl (fn (Num n, s) => s + n | (_, s) => s) 0 store
val () = print (concat tags ^ Int.toString total ^ "\n")
fun try e = (raise e) handle Tag s => "tag " ^ s | Num n => "num " ^ Int.toString n | e => exnName e
val () = app (fn e => print (try e ^ "\n")) store
val univ = let exception Int of int in (Int, fn Int n => SOME n | _ => NONE) end
val () = print (Int.toString (valOf (#2 univ (#1 univ 42))) ^ Bool.toString (isSome (#2 univ Div)) ^ "\n")
