(* Leftist heaps by a functor, used for a sort and for merging streams of numbers. *)
functor Heap (type elem val before' : elem * elem -> bool) :> sig
  type heap val empty : heap val insert : elem * heap -> heap val merge : heap * heap -> heap val pop : heap -> (elem * heap) option
  type elem' = elem
end = struct
  datatype heap = E | T of int * elem * heap * heap
  type elem' = elem
  val empty = E
  fun rank E = 0 | rank (T (r, _, _, _)) = r
  fun make (x, a, b) = if rank a >= rank b then T (rank b + 1, x, a, b) else T (rank a + 1, x, b, a)
  fun merge (h, E) = h | merge (E, h) = h
    | merge (a as T (_, x, l, r), b as T (_, y, l', r')) = if before' (x, y) then make (x, l, merge (r, b)) else make (y, l', merge (a, r'))
  fun insert (x, h) = merge (T (1, x, E, E), h)
  fun pop E = NONE | pop (T (_, x, a, b)) = SOME (x, merge (a, b))
end
structure Down = Heap (type elem = int val before' = op >)
structure Words = Heap (type elem = string * int fun before' ((a, m), (b, n)) = m < n orelse (m = n andalso String.< (a, b)))
fun drain pop h = case pop h of NONE => [] | SOME (x, h) => x :: drain pop h
val a = drain Down.pop (Down.merge (foldl Down.insert Down.empty [5, 1, 4], foldl Down.insert Down.empty [9, 2]))
val b = drain Words.pop (foldl (fn (w, h) => Words.insert ((w, size w), h)) Words.empty ["pear", "fig", "apple", "kiwi", "date"])
val () = print (String.concatWith " " (map Int.toString a) ^ " " ^ String.concatWith " " (map #1 b) ^ "\n")
