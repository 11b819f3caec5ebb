(* abstype: only its body sees the constructors, and the type has no equality outside. *)
abstype 'a queue = Queue of 'a list * 'a list
with
  val empty = Queue ([], [])
  fun push (Queue (f, b), x) = Queue (f, x :: b)
  fun pop (Queue ([], [])) = NONE
    | pop (Queue ([], b)) = pop (Queue (rev b, []))
    | pop (Queue (x :: f, b)) = SOME (x, Queue (f, b))
  fun same (Queue (a, b), Queue (c, d)) = a @ rev b = c @ rev d
end
fun drain q = case pop q of NONE => [] | SOME (x, q) => x :: drain q
val q = foldl (fn (x, q) => push (q, x)) empty [1, 2, 3]
val SOME (first, rest) = pop q
val () = print (Int.toString first ^ ":" ^ String.concat (map Int.toString (drain (push (rest, 4)))) ^ "\n")
val () = print (Bool.toString (same (rest, push (push (empty, 2), 3))) ^ "\n")
