(* Regular expressions: a parser, and a matcher with continuations over the syntax tree.
   Grammar: alternatives `a|b`, `*`, `+`, `?`, classes `[a-z0-9]` and `[^...]`, `.`, groups, escapes by `\`.
   Argument: number of lines of text to search (20000). *)

datatype regex =
    Empty
  | Any
  | Char of char
  | Class of bool * (char * char) list
  | Seq of regex * regex
  | Alt of regex * regex
  | Star of regex

exception Syntax of string

fun parse text =
  let
    fun alternatives cs =
      let
        val (r, rest) = sequence cs
      in
        case rest of
            #"|" :: rest => let val (s, rest) = alternatives rest in (Alt (r, s), rest) end
          | _ => (r, rest)
      end
    and sequence cs =
      case cs of
          [] => (Empty, [])
        | #"|" :: _ => (Empty, cs)
        | #")" :: _ => (Empty, cs)
        | _ =>
            let
              val (r, rest) = repeated (atom cs)
              val (s, rest) = sequence rest
            in
              (case s of Empty => r | _ => Seq (r, s), rest)
            end
    and repeated (r, #"*" :: rest) = repeated (Star r, rest)
      | repeated (r, #"+" :: rest) = repeated (Seq (r, Star r), rest)
      | repeated (r, #"?" :: rest) = repeated (Alt (r, Empty), rest)
      | repeated done = done
    and atom (#"(" :: cs) =
      (case alternatives cs of
           (r, #")" :: rest) => (r, rest)
         | _ => raise Syntax "no )")
      | atom (#"[" :: #"^" :: cs) = class (true, cs, [])
      | atom (#"[" :: cs) = class (false, cs, [])
      | atom (#"." :: cs) = (Any, cs)
      | atom (#"\\" :: c :: cs) = (Char c, cs)
      | atom (c :: cs) =
          if Char.contains "*+?" c then raise Syntax ("nothing before " ^ str c) else (Char c, cs)
      | atom [] = raise Syntax "ends too early"
    and class (negative, #"]" :: cs, ranges) = (Class (negative, ranges), cs)
      | class (negative, a :: #"-" :: b :: cs, ranges) =
          if b = #"]" then
            class (negative, b :: cs, (a, a) :: (#"-", #"-") :: ranges)
          else
            class (negative, cs, (a, b) :: ranges)
      | class (negative, a :: cs, ranges) = class (negative, cs, (a, a) :: ranges)
      | class (_, [], _) = raise Syntax "no ]"
  in
    case alternatives (explode text) of
        (r, []) => r
      | _ => raise Syntax "unmatched )"
  end

(* `k` matches the rest of the expression after `r`, at the place that it gets. The body of a star must match at least one character. *)
fun matches s =
  let
    val n = size s
    fun inside (c, ranges) = List.exists (fn (a, b) => a <= c andalso c <= b) ranges
    fun go (r, i, k) =
      case r of
          Empty => k i
        | Any => i < n andalso k (i + 1)
        | Char c => i < n andalso String.sub (s, i) = c andalso k (i + 1)
        | Class (negative, ranges) =>
            i < n andalso inside (String.sub (s, i), ranges) <> negative andalso k (i + 1)
        | Seq (a, b) => go (a, i, fn j => go (b, j, k))
        | Alt (a, b) => go (a, i, k) orelse go (b, i, k)
        | Star a => go (a, i, fn j => j > i andalso go (r, j, k)) orelse k i
  in
    go
  end

fun whole (r, s) = matches s (r, 0, fn i => i = size s)

fun somewhere (r, s) =
  let
    val go = matches s
    fun from i = i <= size s andalso (go (r, i, fn _ => true) orelse from (i + 1))
  in
    from 0
  end

val patterns =
  ["(a|b)*abb",
   "[a-z]+@[a-z]+\\.(com|org)",
   "[^aeiou ]+ing",
   "x?y+z*",
   "((ab)+|c)*d",
   "[0-9][0-9]?:[0-5][0-9]"]

val syllables =
  Vector.fromList
    ["ab", "ba", "abb", "sing", "ring", "yyz", "12:45", "joe@home.org", "c", "d", "xyzzy", "e"]

(* Returns a line of text that looks like words. *)
fun line seed =
  let
    fun go (0, _, words) = String.concatWith " " words
      | go (k, x, words) =
          let
            val x = (x * 1103515245 + 12345) mod 2147483648
            val a = Vector.sub (syllables, x div 65536 mod 12)
            val b =
              if x div 4096 mod 3 = 0 then Vector.sub (syllables, x div 1048576 mod 12) else ""
          in
            go (k - 1, x, (a ^ b) :: words)
          end
  in
    go (6, seed, [])
  end

fun main () =
  let
    val n = case CommandLine.arguments () of s :: _ => valOf (Int.fromString s) | [] => 20000
    val lines = List.tabulate (n, line)
    fun count p = foldl (fn (s, k) => if p s then k + 1 else k) 0 lines
    fun report pattern =
      let
        val r = parse pattern
        val found = count (fn s => somewhere (r, s))
        val exact =
          count (fn s => List.exists (fn w => whole (r, w)) (String.tokens Char.isSpace s))
      in
        print
          (pattern ^ ": " ^ Int.toString found ^ " lines, " ^ Int.toString exact
             ^ " with such a word\n")
      end
  in
    app report patterns;
    (ignore (parse "(a"); ()) handle Syntax message => print ("(a: " ^ message ^ "\n")
  end

val () = main ()
