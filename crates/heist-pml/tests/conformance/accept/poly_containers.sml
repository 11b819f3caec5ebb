(* A polymorphic map with the comparison as an argument, used at four types. *)
datatype ('k, 'v) map = Tip | Bin of ('k, 'v) map * 'k * 'v * ('k, 'v) map
fun insert cmp (Tip, k, v) = Bin (Tip, k, v, Tip)
  | insert cmp (Bin (l, k', v', r), k, v) = (case cmp (k, k') of LESS => Bin (insert cmp (l, k, v), k', v', r) | GREATER => Bin (l, k', v', insert cmp (r, k, v)) | EQUAL => Bin (l, k, v, r))
fun fold f b Tip = b | fold f b (Bin (l, k, v, r)) = fold f (f (k, v, fold f b l)) r
fun from cmp = foldl (fn ((k, v), m) => insert cmp (m, k, v)) Tip
fun keys m = rev (fold (fn (k, _, l) => k :: l) [] m)
fun lex cmp = List.collate cmp
val a = from Int.compare [(3, "c"), (1, "a"), (2, "b"), (3, "C")]
val b = from String.compare [("x", 1.5), ("w", 2.5)]
val c = from (lex Char.compare) [([#"b"], ()), ([#"a", #"b"], ()), ([], ())]
val d = from (fn ((a, b), (c, d)) => case Int.compare (a, c) of EQUAL => Int.compare (b, d) | x => x) [((1, 2), a), ((1, 1), Tip)]
val () = print (fold (fn (_, v, s) => s ^ v) "" a ^ concat (keys b) ^ Real.toString (fold (fn (_, v, s) => s + v) 0.0 b) ^ String.concatWith "/" (map implode (keys c)) ^ Int.toString (length (keys d)) ^ Int.toString (fold (fn (_, m, n) => n + length (keys m)) 0 d) ^ "\n")
