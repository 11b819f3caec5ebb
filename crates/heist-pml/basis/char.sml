(* StringCvt, Bool and Char. *)

signature STRING_CVT =
sig
  datatype radix = BIN | OCT | DEC | HEX
  datatype realfmt = SCI of int option | FIX of int option | GEN of int option | EXACT
  type ('a, 'b) reader = 'b -> ('a * 'b) option
  val padLeft : char -> int -> string -> string
  val padRight : char -> int -> string -> string
  val splitl : (char -> bool) -> (char, 'a) reader -> 'a -> string * 'a
  val takel : (char -> bool) -> (char, 'a) reader -> 'a -> string
  val dropl : (char -> bool) -> (char, 'a) reader -> 'a -> 'a
  val skipWS : (char, 'a) reader -> 'a -> 'a
  type cs
  val scanString : ((char, cs) reader -> ('a, cs) reader) -> string -> 'a option
end

(* Characters of a list as a string, in order or reversed. StringCvt, Char and String share these functions. *)
structure Chars =
struct
  fun make (n, f) =
    let
      val bytes = Core.Bytes.new n
      fun go i = if i >= n then () else (Core.Bytes.setChar (bytes, i, f i); go (Core.Int.add (i, 1)))
    in
      go 0;
      Core.Bytes.freeze bytes
    end

  fun implode l =
    let
      val n = List.length l
      val bytes = Core.Bytes.new n
      fun fill (nil, _) = ()
        | fill (c :: rest, i) = (Core.Bytes.setChar (bytes, i, c); fill (rest, Core.Int.add (i, 1)))
    in
      fill (l, 0);
      Core.Bytes.freeze bytes
    end

  fun implodeRev l =
    let
      val n = List.length l
      val bytes = Core.Bytes.new n
      fun fill (nil, _) = ()
        | fill (c :: rest, i) = (Core.Bytes.setChar (bytes, i, c); fill (rest, Core.Int.sub (i, 1)))
    in
      fill (l, n - 1);
      Core.Bytes.freeze bytes
    end

  fun str c =
    let val bytes = Core.Bytes.new 1
    in Core.Bytes.setChar (bytes, 0, c); Core.Bytes.freeze bytes
    end

  (* Does not check the range. *)
  fun substring (s, i, n) =
    if n = Core.String.size s then s
    else
      let val bytes = Core.Bytes.new n
      in Core.Bytes.copyString (s, i, bytes, 0, n); Core.Bytes.freeze bytes
      end

  fun isSpace c = c = #" " orelse (c >= #"\t" andalso c <= #"\r")
end

structure StringCvt : STRING_CVT =
struct
  datatype radix = BIN | OCT | DEC | HEX
  datatype realfmt = SCI of int option | FIX of int option | GEN of int option | EXACT
  type ('a, 'b) reader = 'b -> ('a * 'b) option
  type cs = int

  fun padLeft c n s =
    let val length = Core.String.size s
    in
      if n <= length then s
      else if n > Core.String.maxSize then raise Size
      else Core.String.append (Chars.make (n - length, fn _ => c), s)
    end

  fun padRight c n s =
    let val length = Core.String.size s
    in
      if n <= length then s
      else if n > Core.String.maxSize then raise Size
      else Core.String.append (s, Chars.make (n - length, fn _ => c))
    end

  fun splitl f getc cs =
    let
      fun go (cs, taken) =
        case getc cs of
          SOME (c, rest) => if f c then go (rest, c :: taken) else (Chars.implodeRev taken, cs)
        | NONE => (Chars.implodeRev taken, cs)
    in
      go (cs, nil)
    end

  fun takel f getc cs = #1 (splitl f getc cs)

  fun dropl f getc cs =
    let
      fun go cs =
        case getc cs of
          SOME (c, rest) => if f c then go rest else cs
        | NONE => cs
    in
      go cs
    end

  fun skipWS getc cs = dropl Chars.isSpace getc cs

  fun scanString scan s =
    let
      val n = Core.String.size s
      fun getc i = if i >= n then NONE else SOME (Core.String.sub (s, i), Core.Int.add (i, 1))
    in
      case scan getc 0 of
        NONE => NONE
      | SOME (a, _) => SOME a
    end
end

signature BOOL =
sig
  datatype bool = datatype bool
  val not : bool -> bool
  val toString : bool -> string
  val scan : (char, 'a) StringCvt.reader -> (bool, 'a) StringCvt.reader
  val fromString : string -> bool option
end

structure Bool : BOOL =
struct
  datatype bool = datatype bool
  val not = not
  fun toString true = "true"
    | toString false = "false"

  fun scan getc cs =
    let
      fun lower c = if c >= #"A" andalso c <= #"Z" then Core.Char.chr (Core.Char.ord c + 32) else c
      fun word (nil, value, cs) = SOME (value, cs)
        | word (want :: rest, value, cs) =
            (case getc cs of
               SOME (c, cs) => if lower c = want then word (rest, value, cs) else NONE
             | NONE => NONE)
    in
      case getc (StringCvt.skipWS getc cs) of
        NONE => NONE
      | SOME (c, cs) =>
          case lower c of
            #"t" => word ([#"r", #"u", #"e"], true, cs)
          | #"f" => word ([#"a", #"l", #"s", #"e"], false, cs)
          | _ => NONE
    end

  fun fromString s = StringCvt.scanString scan s
end

signature CHAR =
sig
  eqtype char
  eqtype string
  val minChar : char
  val maxChar : char
  val maxOrd : int
  val ord : char -> int
  val chr : int -> char
  val succ : char -> char
  val pred : char -> char
  val compare : char * char -> order
  val < : char * char -> bool
  val <= : char * char -> bool
  val > : char * char -> bool
  val >= : char * char -> bool
  val contains : string -> char -> bool
  val notContains : string -> char -> bool
  val isAscii : char -> bool
  val toLower : char -> char
  val toUpper : char -> char
  val isAlpha : char -> bool
  val isAlphaNum : char -> bool
  val isCntrl : char -> bool
  val isDigit : char -> bool
  val isGraph : char -> bool
  val isHexDigit : char -> bool
  val isLower : char -> bool
  val isPrint : char -> bool
  val isSpace : char -> bool
  val isPunct : char -> bool
  val isUpper : char -> bool
  val toString : char -> string
  val scan : (char, 'a) StringCvt.reader -> (char, 'a) StringCvt.reader
  val fromString : string -> char option
  val toCString : char -> string
  val fromCString : string -> char option
end

structure Char : sig
  include CHAR
  val scanGap : (char, 'a) StringCvt.reader -> 'a -> 'a option
  val scanC : (char, 'a) StringCvt.reader -> (char, 'a) StringCvt.reader
end =
struct
  type char = char
  type string = string
  val ord = Core.Char.ord
  val maxOrd = 255
  val minChar = #"\000"
  val maxChar = #"\255"

  fun chr i = if Core.Int.within (i, 256) then Core.Char.chr i else raise Chr
  fun succ c = if c = maxChar then raise Chr else Core.Char.chr (ord c + 1)
  fun pred c = if c = minChar then raise Chr else Core.Char.chr (ord c - 1)

  fun compare (a, b) = if Core.Char.< (a, b) then LESS else if a = b then EQUAL else GREATER

  fun contains s =
    let
      val n = Core.String.size s
    in
      fn c =>
        let fun go i = i < n andalso (Core.String.sub (s, i) = c orelse go (Core.Int.add (i, 1)))
        in go 0
        end
    end
  fun notContains s =
    let val contains = contains s
    in fn c => not (contains c)
    end

  (* Tests `lo <= c <= hi` by one comparison. *)
  fun between (c, lo, hi) = Core.Int.within (Core.Int.sub (ord c, ord lo), Core.Int.add (Core.Int.sub (ord hi, ord lo), 1))

  fun isAscii c = ord c < 128
  fun isUpper c = between (c, #"A", #"Z")
  fun isLower c = between (c, #"a", #"z")
  fun isDigit c = between (c, #"0", #"9")
  fun isAlpha c = isLower c orelse isUpper c
  fun isAlphaNum c = isAlpha c orelse isDigit c
  fun isHexDigit c = isDigit c orelse between (c, #"a", #"f") orelse between (c, #"A", #"F")
  fun isGraph c = between (c, #"!", #"~")
  fun isPrint c = between (c, #" ", #"~")
  fun isPunct c = isGraph c andalso not (isAlphaNum c)
  fun isCntrl c = ord c < 32 orelse ord c = 127
  val isSpace = Chars.isSpace
  fun toLower c = if isUpper c then Core.Char.chr (ord c + 32) else c
  fun toUpper c = if isLower c then Core.Char.chr (ord c - 32) else c

  fun digit i = Core.Char.chr (i + ord #"0")

  fun toString c =
    case c of
      #"\\" => "\\\\"
    | #"\"" => "\\\""
    | #"\a" => "\\a"
    | #"\b" => "\\b"
    | #"\t" => "\\t"
    | #"\n" => "\\n"
    | #"\v" => "\\v"
    | #"\f" => "\\f"
    | #"\r" => "\\r"
    | _ =>
        if isPrint c then Chars.str c
        else if ord c < 32 then Chars.implode [#"\\", #"^", Core.Char.chr (ord c + 64)]
        else Chars.implode [#"\\", digit (ord c div 100), digit (ord c div 10 mod 10), digit (ord c mod 10)]

  fun toCString c =
    case c of
      #"\\" => "\\\\"
    | #"\"" => "\\\""
    | #"'" => "\\'"
    | #"?" => "\\?"
    | #"\a" => "\\a"
    | #"\b" => "\\b"
    | #"\t" => "\\t"
    | #"\n" => "\\n"
    | #"\v" => "\\v"
    | #"\f" => "\\f"
    | #"\r" => "\\r"
    | _ =>
        if isPrint c then Chars.str c
        else Chars.implode [#"\\", digit (ord c div 64), digit (ord c div 8 mod 8), digit (ord c mod 8)]

  fun hexDigit c =
    if isDigit c then ord c - ord #"0"
    else if isLower c then ord c - ord #"a" + 10
    else ord c - ord #"A" + 10

  (* Reads `n` digits of a radix. Returns their value and the rest of the stream. *)
  fun digits (isDigit, radix, getc) (0, value, cs) = SOME (value, cs)
    | digits (isDigit, radix, getc) (n, value, cs) =
        case getc cs of
          SOME (c, cs) =>
            if isDigit c then digits (isDigit, radix, getc) (n - 1, value * radix + hexDigit c, cs) else NONE
        | NONE => NONE

  fun numbered (SOME (n, cs)) = if n < 256 then SOME (Core.Char.chr n, cs) else NONE
    | numbered NONE = NONE

  (* Skips one or several gaps `\   \`. Returns NONE if there is no gap. *)
  fun scanGap getc cs =
    case getc cs of
      SOME (#"\\", next) =>
        (case getc next of
           SOME (c, inside) =>
             if isSpace c then
               case getc (StringCvt.skipWS getc inside) of
                 SOME (#"\\", rest) => SOME (getOpt (scanGap getc rest, rest))
               | _ => NONE
             else NONE
         | NONE => NONE)
    | _ => NONE

  fun scanOne getc cs =
    case getc (getOpt (scanGap getc cs, cs)) of
      NONE => NONE
    | SOME (#"\\", cs) =>
        (case getc cs of
           NONE => NONE
         | SOME (c, rest) =>
             case c of
               #"a" => SOME (#"\a", rest)
             | #"b" => SOME (#"\b", rest)
             | #"t" => SOME (#"\t", rest)
             | #"n" => SOME (#"\n", rest)
             | #"v" => SOME (#"\v", rest)
             | #"f" => SOME (#"\f", rest)
             | #"r" => SOME (#"\r", rest)
             | #"\\" => SOME (#"\\", rest)
             | #"\"" => SOME (#"\"", rest)
             | #"^" =>
                 (case getc rest of
                    SOME (c, rest) =>
                      if between (c, #"@", #"_") then SOME (Core.Char.chr (ord c - 64), rest) else NONE
                  | NONE => NONE)
             | #"u" => numbered (digits (isHexDigit, 16, getc) (4, 0, rest))
             | _ => if isDigit c then numbered (digits (isDigit, 10, getc) (3, 0, cs)) else NONE)
    | SOME (c, rest) => if isPrint c andalso c <> #"\"" then SOME (c, rest) else NONE

  (* Skips gaps behind the character as well. *)
  fun scan getc cs =
    case scanOne getc cs of
      SOME (c, rest) => SOME (c, getOpt (scanGap getc rest, rest))
    | NONE => NONE

  fun fromString s = StringCvt.scanString scan s

  fun scanC getc cs =
    let
      fun isOctal c = between (c, #"0", #"7")
      (* Reads one to three octal digits. *)
      fun octal (n, value, cs) =
        if n = 3 then SOME (value, cs)
        else
          case getc cs of
            SOME (c, rest) => if isOctal c then octal (n + 1, value * 8 + hexDigit c, rest) else SOME (value, cs)
          | NONE => SOME (value, cs)
      (* Reads at least one hexadecimal digit. *)
      fun hex (n, value, cs) =
        let fun done () = if n = 0 then NONE else SOME (value, cs)
        in
          case getc cs of
            SOME (c, rest) =>
              if isHexDigit c then if value > 255 then NONE else hex (n + 1, value * 16 + hexDigit c, rest)
              else done ()
          | NONE => done ()
        end
    in
      case getc cs of
        NONE => NONE
      | SOME (#"\\", cs) =>
          (case getc cs of
             NONE => NONE
           | SOME (c, rest) =>
               case c of
                 #"a" => SOME (#"\a", rest)
               | #"b" => SOME (#"\b", rest)
               | #"t" => SOME (#"\t", rest)
               | #"n" => SOME (#"\n", rest)
               | #"v" => SOME (#"\v", rest)
               | #"f" => SOME (#"\f", rest)
               | #"r" => SOME (#"\r", rest)
               | #"\\" => SOME (#"\\", rest)
               | #"\"" => SOME (#"\"", rest)
               | #"'" => SOME (#"'", rest)
               | #"?" => SOME (#"?", rest)
               | #"^" =>
                   (case getc rest of
                      SOME (c, rest) =>
                        if between (c, #"@", #"_") then SOME (Core.Char.chr (ord c - 64), rest) else NONE
                    | NONE => NONE)
               | #"x" => numbered (hex (0, 0, rest))
               | _ => if isOctal c then numbered (octal (0, 0, cs)) else NONE)
      | SOME (c, rest) => if isPrint c andalso c <> #"\"" then SOME (c, rest) else NONE
    end

  fun fromCString s = StringCvt.scanString scanC s

  val op < = Core.Char.<
  val op <= = Core.Char.<=
  val op > = Core.Char.>
  val op >= = Core.Char.>=
end

val ord = Char.ord
val chr = Char.chr
