(* Huffman codes: frequencies, the tree, encoding and decoding. *)
datatype tree = Leaf of int * char | Node of int * tree * tree
fun weight (Leaf (w, _)) = w | weight (Node (w, _, _)) = w
fun insert (t, []) = [t] | insert (t, u :: us) = if weight t <= weight u then t :: u :: us else u :: insert (t, us)
fun frequencies s = foldl (fn (c, l) => let fun inc [] = [(1, c)] | inc ((n, d) :: r) = if c = d then (n + 1, d) :: r else (n, d) :: inc r in inc l end) [] (explode s)
fun build [t] = t | build (a :: b :: r) = build (insert (Node (weight a + weight b, a, b), r)) | build [] = raise Empty
fun codes (Leaf (_, c), path) = [(c, implode (rev path))] | codes (Node (_, a, b), path) = codes (a, #"0" :: path) @ codes (b, #"1" :: path)
fun decode (tree, bits) =
  let fun go (Leaf (_, c), [], out) = rev (c :: out) | go (Leaf (_, c), bs, out) = go (tree, bs, c :: out)
        | go (Node (_, a, b), #"0" :: bs, out) = go (a, bs, out) | go (Node (_, a, b), _ :: bs, out) = go (b, bs, out) | go (_, [], out) = rev out
  in implode (go (tree, bits, [])) end
val text = "she sells sea shells by the sea shore"
val tree = build (foldl (fn ((n, c), l) => insert (Leaf (n, c), l)) [] (frequencies text))
val table = codes (tree, [])
val bits = concat (map (fn c => #2 (valOf (List.find (fn (d, _) => c = d) table))) (explode text))
val () = print (Int.toString (size bits) ^ " bits for " ^ Int.toString (8 * size text) ^ " " ^ Bool.toString (decode (tree, explode bits) = text) ^ "\n")
