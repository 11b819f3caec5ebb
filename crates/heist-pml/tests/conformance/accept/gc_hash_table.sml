(* A growing hash table with string keys and lists of records as values. *)
type entry = {key : string, hits : int ref, tags : string list}
val table : entry list array ref = ref (Array.array (16, []))
val count = ref 0
fun hash s = CharVector.foldl (fn (c, h) => (h * 33 + ord c) mod 536870909) 5381 s
fun insert (a, e as {key, ...} : entry) = let val i = hash key mod Array.length a in Array.update (a, i, e :: Array.sub (a, i)) end
fun grow () = let val b = Array.array (2 * Array.length (!table), []) in Array.app (app (fn e => insert (b, e))) (!table); table := b end
fun touch key =
  case List.find (fn {key = k, ...} : entry => k = key) (Array.sub (!table, hash key mod Array.length (!table))) of
    SOME {hits, ...} => hits := !hits + 1
  | NONE => (insert (!table, {key = key, hits = ref 1, tags = [key, key ^ "!"]}); count := !count + 1; if !count > Array.length (!table) then grow () else ())
fun loop (0, _) = () | loop (k, x) = (touch ("k" ^ Int.toString (x mod 5000)); loop (k - 1, (x * 69069 + 1) mod 4294967296))
val () = loop (60000, 7)
val (n, m, t) = Array.foldl (fn (l, acc) => foldl (fn ({hits, tags, ...} : entry, (n, m, t)) => (n + 1, Int.max (m, !hits), t + length tags)) acc l) (0, 0, 0) (!table)
val () = print (Int.toString n ^ " " ^ Int.toString m ^ " " ^ Int.toString t ^ "\n")
