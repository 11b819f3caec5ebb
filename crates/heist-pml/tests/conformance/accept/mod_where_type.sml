(* where type gives the definition of an abstract type. *)
signature ITEM = sig type t val items : t list end
signature SORTED = sig type key type 'a entry = key * 'a val compare : key * key -> order end
structure Ints : ITEM where type t = int = struct type t = int val items = [3, 1, 2] end
structure K :> SORTED where type key = string = struct type key = string type 'a entry = key * 'a val compare = String.compare end
val e : int K.entry = ("k", 5)
val c = K.compare ("a", #1 e)
val () = print (Int.toString (foldl op + 0 Ints.items) ^ (case c of LESS => "less" | _ => "other") ^ "\n")
