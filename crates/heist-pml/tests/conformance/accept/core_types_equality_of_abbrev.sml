(* Type abbreviations are transparent, even if they drop or repeat parameters. *)
type 'a same = 'a * 'a
type ('a, 'b) first = 'a
type fn_ = int -> int
type 'a nested = ('a same) list
val p : int same = (1, 2)
val q : (int, string -> string) first = 3
val f : fn_ = fn x => x + #1 p
val n : string nested = [("a", "b")]
val b = p = (1, 2) andalso q = 3
val () = print (Int.toString (f q) ^ #2 (hd n) ^ Bool.toString b ^ "\n")
