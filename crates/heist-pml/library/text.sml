(* Parallel operations on texts. A long text is cut at its separators. No function reads a character more than twice. *)

signature PAR_TEXT =
sig
  (* Returns the content of a file. Raises Io. *)
  val readFile : string -> string
  (* Returns the parts between single separators: three parts for "a,,b". Like String.fields. *)
  val fields : (char -> bool) -> string -> string parray
  (* Returns the parts that are not empty. Like String.tokens. *)
  val tokens : (char -> bool) -> string -> string parray
  (* Returns the runs of characters that are not white space. *)
  val words : string -> string parray
  (* Returns the lines without their ends. If a text ends in a newline, no empty line comes after it. *)
  val lines : string -> string parray
  (* Return the places of the tokens or lines, without copies of them. A place is the index of the first character, and the length. *)
  val tokenRanges : (char -> bool) -> string -> (int * int) parray
  val lineRanges : string -> (int * int) parray
  (* Returns all places where the first text occurs in the second text. Raises Domain if the first text is empty. *)
  val search : string -> string -> int parray
  (* Returns true if the first text occurs in this part of the second text. The part is an index and a length. Raises Subscript. *)
  val occursIn : string -> string * int * int -> bool
  (* Concatenates texts. *)
  val concat : string parray -> string
end

structure ParText :> PAR_TEXT =
struct
  structure S = Core.String
  val add = Core.Int.add
  fun at (a, i) = Core.Vector.sub (PArray.toVector a, i)
  fun make (n, f) = PArray.fromVector (ParLoop.tabulate (n, f))

  fun readFile name =
    let
      val file = TextIO.openIn name
      val text = TextIO.inputAll file handle exn => (TextIO.closeIn file; raise exn)
    in
      TextIO.closeIn file;
      text
    end

  (* Returns the indices of the separators. *)
  fun places (isIt, text) =
    PArray.fromVector (ParLoop.filter (S.size text, fn i => isIt (S.sub (text, i)), fn i => i))

  (* `ranges (text, ends)` returns the parts before the separators, and the part behind the last separator. *)
  fun ranges (text, ends) =
    let
      val k = PArray.length ends
      fun start i = if i = 0 then 0 else at (ends, i - 1) + 1
    in
      (k + 1, fn i => let val first = start i in (first, (if i < k then at (ends, i) else S.size text) - first) end)
    end

  fun fields isIt text =
    let val (n, range) = ranges (text, places (isIt, text))
    in make (n, fn i => String.substring (text, #1 (range i), #2 (range i)))
    end

  (* Returns the ends of tokens. Separators are rarer than other characters, so the function looks at few indices twice. *)
  fun ends (isIt, text) =
    let val n = S.size text
    in
      PArray.fromVector
        (ParLoop.filter
           ( if n = 0 then 0 else add (n, 1)
           , fn i => (i = n orelse isIt (S.sub (text, i))) andalso i > 0 andalso not (isIt (S.sub (text, i - 1)))
           , fn i => i ))
    end
  (* Returns the position at which the token that ends here begins. *)
  fun start (isIt, text, stop) =
    let fun go i = if i > 0 andalso not (isIt (S.sub (text, i - 1))) then go (i - 1) else i
    in go stop
    end
  fun tokens isIt text =
    PArray.map
      (fn stop => let val first = start (isIt, text, stop) in String.substring (text, first, stop - first) end)
      (ends (isIt, text))
  fun tokenRanges isIt text =
    PArray.map (fn stop => let val first = start (isIt, text, stop) in (first, stop - first) end) (ends (isIt, text))
  fun words text = tokens Char.isSpace text

  fun lineRange text =
    let
      val (n, range) = ranges (text, places (fn c => c = #"\n", text))
      val size = S.size text
    in
      (if size = 0 orelse S.sub (text, size - 1) = #"\n" then n - 1 else n, range)
    end
  fun lineRanges text = make (lineRange text)
  fun lines text =
    let val (n, range) = lineRange text
    in make (n, fn i => let val (first, length) = range i in String.substring (text, first, length) end)
    end

  (* Returns true if the pattern occurs at an index. The text must have enough characters from this index on. *)
  fun isAt (pattern, text, i) =
    let
      val m = S.size pattern
      fun go k = k >= m orelse S.sub (pattern, k) = S.sub (text, add (i, k)) andalso go (add (k, 1))
    in
      go 0
    end
  fun search pattern text =
    if pattern = "" then raise Domain
    else
      PArray.fromVector
        (ParLoop.filter (S.size text - S.size pattern + 1, fn i => isAt (pattern, text, i), fn i => i))
  fun occursIn pattern (text, i, n) =
    if i < 0 orelse n < 0 orelse i > S.size text - n then raise Subscript
    else if pattern = "" then true
    else
      let
        val last = i + n - S.size pattern
        val first = S.sub (pattern, 0)
        fun go i =
          if i > last then false
          else if S.sub (text, i) = first andalso isAt (pattern, text, i) then true
          else go (add (i, 1))
      in
        go i
      end

  fun concat texts =
    let
      val k = PArray.length texts
      val starts = PArray.scan Core.Int.+ 0 (PArray.map S.size texts)
      val n = if k = 0 then 0 else at (starts, k - 1) + S.size (at (texts, k - 1))
    in
      if n > S.maxSize then raise Size
      else if n = 0 then ""
      else
        let val bytes = Core.Bytes.new n
        in
          ParLoop.each
            ( 0
            , k
            , fn i =>
                let val text = at (texts, i)
                in Core.Bytes.copyString (text, 0, bytes, at (starts, i), S.size text)
                end );
          Core.Bytes.freeze bytes
        end
    end
end
