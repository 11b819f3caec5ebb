(* Annotations on patterns, results, expressions; type abbreviations with parameters. *)
type 'a pair = 'a * 'a
type ('k, 'v) table = ('k * 'v list) list
fun both (f : 'a -> 'b) ((x, y) : 'a pair) : 'b pair = (f x, f y)
fun add (t : (''k, 'v) table) (k, v) : (''k, 'v) table =
  case t of [] => [(k, [v])] | (k', vs) :: rest => if k = k' then (k, v :: vs) :: rest else (k', vs) :: add rest (k, v)
val t = foldl (fn (x, t) => add t x) [] [("a", 1), ("b", 2), ("a", 3)]
val (p : int, q) = both (size : string -> int) ("four", "sixsix")
fun show t = String.concatWith ";" (map (fn (k, vs) => k ^ String.concat (map Int.toString vs)) t)
val () = print (Int.toString (p * q) ^ " " ^ show t ^ "\n")
