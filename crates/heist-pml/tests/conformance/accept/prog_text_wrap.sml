(* Wraps text to a width, and justifies it. *)
val text = "Standard ML is a safe, modular, strict, functional, polymorphic programming language with compile-time type checking and type inference, garbage collection, exception handling, immutable data types and updatable references, abstract data types, and parametric modules."
fun wrap width words =
  let
    fun go ([], [], _, lines) = rev lines
      | go ([], line, _, lines) = rev (rev line :: lines)
      | go (w :: ws, [], _, lines) = go (ws, [w], size w, lines)
      | go (w :: ws, line, n, lines) = if n + 1 + size w > width then go (ws, [w], size w, rev line :: lines) else go (ws, w :: line, n + 1 + size w, lines)
  in go (words, [], 0, []) end
fun justify width [w] = w
  | justify width ws =
      let
        val gaps = length ws - 1
        val total = width - foldl (fn (w, n) => n + size w) 0 ws
        fun spaces n = CharVector.tabulate (n, fn _ => #" ")
        fun go ([w], _) = w | go (w :: ws, i) = w ^ spaces (total div gaps + (if i < total mod gaps then 1 else 0)) ^ go (ws, i + 1) | go ([], _) = ""
      in go (ws, 0) end
val lines = wrap 40 (String.tokens Char.isSpace text)
val () = app (fn l => print ("|" ^ justify 40 l ^ "|\n")) (List.take (lines, length lines - 1))
val () = print ("|" ^ String.concatWith " " (List.last lines) ^ "\n")
