(* Flexible patterns resolved by the rest of the declaration. *)
fun f r = let val {a, ...} = r in a + #b (r : {a : int, b : int, c : string}) end
fun g {x, ...} = x * 2
and h () = g {x = 21, y = "unused"}
val swap = fn ({left, right} : {left : 'a, right : 'b}) => {left = right, right = left}
val () = print (Int.toString (f {a = 1, b = 2, c = ""}) ^ " " ^ Int.toString (h ()) ^ "\n")
val {left, ...} = swap {left = 1, right = "r"}
val () = print (left ^ "\n")
val names = map #name [{name = "x", id = 1}, {name = "y", id = 2}]
val () = print (String.concat names ^ "\n")
val () = print (Int.toString (foldl (fn ({id, ...} : {id : int, name : string}, s) => s + id) 0 [{name = "x", id = 1}]) ^ "\n")
