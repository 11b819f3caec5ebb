(* Merge sort, quicksort, insertion sort and heap sort agree. *)
fun merge cmp ([], b) = b | merge cmp (a, []) = a
  | merge cmp (a as x :: s, b as y :: t) = if cmp (x, y) = GREATER then y :: merge cmp (a, t) else x :: merge cmp (s, b)
fun split (a :: b :: t) = let val (x, y) = split t in (a :: x, b :: y) end | split l = (l, [])
fun msort _ [] = [] | msort _ [x] = [x] | msort cmp l = let val (a, b) = split l in merge cmp (msort cmp a, msort cmp b) end
fun qsort _ [] = [] | qsort cmp (p :: t) = let val (a, b) = List.partition (fn x => cmp (x, p) = LESS) t in qsort cmp a @ p :: qsort cmp b end
fun isort cmp l = foldl (fn (x, s) => let fun ins [] = [x] | ins (y :: t) = if cmp (x, y) = GREATER then y :: ins t else x :: y :: t in ins s end) [] l
datatype 'a heap = E | H of 'a * 'a heap * 'a heap
fun join _ (E, h) = h | join _ (h, E) = h
  | join cmp (a as H (x, l, r), b as H (y, l', r')) = if cmp (x, y) = GREATER then H (y, join cmp (a, r'), l') else H (x, join cmp (b, r), l)
fun hsort cmp l = let fun drain E = [] | drain (H (x, l, r)) = x :: drain (join cmp (l, r)) in drain (foldl (fn (x, h) => join cmp (H (x, E, E), h)) E l) end
val data = List.tabulate (300, fn i => i * 7919 mod 1013)
val sorted = msort Int.compare data
val () = print (Bool.toString (sorted = qsort Int.compare data andalso sorted = isort Int.compare data andalso sorted = hsort Int.compare data) ^ "\n")
val () = print (String.concatWith " " (map Int.toString (List.take (sorted, 12))) ^ "\n")
val () = print (String.concatWith " " (msort (fn (a, b) => case Int.compare (size a, size b) of EQUAL => String.compare (b, a) | c => c) ["ccc", "a", "bb", "b", "aa", ""]) ^ "\n")
