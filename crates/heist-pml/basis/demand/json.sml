(* JSON with the names of SML/NJ's library: values, a parser and a printer. *)

structure JSON =
struct
  datatype value
  = OBJECT of (string * value) list
  | ARRAY of value list
  | NULL
  | BOOL of bool
  | INT of IntInf.int
  | FLOAT of real
  | STRING of string
end

signature JSON_PARSER =
sig
  type source
  val openStream : TextIO.instream -> source
  val openFile : string -> source
  val openString : string -> source
  val close : source -> unit
  (* Returns the next value of the source. Raises Fail, with the number of the line, if the source has no next value. *)
  val parse : source -> JSON.value
  (* Returns the only value of a file. *)
  val parseFile : string -> JSON.value
end

structure JSONParser :> JSON_PARSER =
struct
  (* The unread input, with the number of its current line. *)
  datatype source = Source of {stream : TextIO.instream, rest : (TextIO.StreamIO.instream * int) ref}

  fun openStream stream = Source {stream = stream, rest = ref (TextIO.getInstream stream, 1)}
  val openFile = openStream o TextIO.openIn
  val openString = openStream o TextIO.openString
  fun close (Source {stream, rest}) =
    (TextIO.setInstream (stream, #1 (! rest)); TextIO.closeIn stream)

  fun fail (line, what) = raise Fail ("JSON, line " ^ Int.toString line ^ ": " ^ what)

  fun next (stream, line) =
    case TextIO.StreamIO.input1 stream of
      SOME (c, stream) => SOME (c, (stream, if c = #"\n" then line + 1 else line))
    | NONE => NONE

  (* Skips to the next character that is neither space nor in a comment. *)
  fun skip rest =
    case next rest of
      SOME (#"/", inside) => (case next inside of SOME (#"*", inside) => skip (comment (inside, #2 rest)) | _ => rest)
    | SOME (c, inside) => if Char.contains " \t\r\n" c then skip inside else rest
    | NONE => rest
  and comment (rest, began) =
    case next rest of
      SOME (#"*", inside) => (case next inside of SOME (#"/", inside) => inside | _ => comment (inside, began))
    | SOME (_, inside) => comment (inside, began)
    | NONE => fail (began, "a comment does not end")

  fun token rest =
    let val rest = skip rest
    in
      case next rest of
        SOME found => found
      | NONE => fail (#2 rest, "the input ends within a value")
    end

  fun word (nil, value, rest) = (value, rest)
    | word (c :: cs, value, rest) =
        case next rest of
          SOME (found, inside) => if found = c then word (cs, value, inside) else fail (#2 rest, "an unknown word")
        | NONE => fail (#2 rest, "an unknown word")

  (* Returns the bytes of a character in UTF-8. *)
  fun utf8 code =
    let
      fun tail shift = Char.chr (128 + code div shift mod 64)
      val chars =
        if code < 0x80 then [Char.chr code]
        else if code < 0x800 then [Char.chr (0xc0 + code div 64), tail 1]
        else if code < 0x10000 then [Char.chr (0xe0 + code div 4096), tail 64, tail 1]
        else [Char.chr (0xf0 + code div 262144), tail 4096, tail 64, tail 1]
    in
      String.implode chars
    end

  fun string (rest, began) =
    let
      fun bad () = fail (began, "a string with an escape that JSON does not have")
      fun hex (0, code, rest) = (code, rest)
        | hex (n, code, rest) =
            case next rest of
              NONE => bad ()
            | SOME (c, rest) =>
                case StringCvt.scanString (Int.scan StringCvt.HEX) (String.str c) of
                  SOME digit => hex (n - 1, code * 16 + digit, rest)
                | NONE => bad ()
      (* Two escapes may represent one character. *)
      fun unicode rest =
        let val (code, rest) = hex (4, 0, rest)
        in
          if code < 0xd800 orelse code >= 0xe000 then (utf8 code, rest)
          else
            case next rest of
              SOME (#"\\", rest) =>
                (case next rest of
                  SOME (#"u", rest) =>
                    let val (low, rest) = hex (4, 0, rest)
                    in
                      if code >= 0xdc00 orelse low < 0xdc00 orelse low >= 0xe000 then bad ()
                      else (utf8 (0x10000 + (code - 0xd800) * 0x400 + (low - 0xdc00)), rest)
                    end
                | _ => bad ())
            | _ => bad ()
        end
      fun go (rest, parts) =
        case next rest of
          NONE => fail (began, "a string does not end")
        | SOME (#"\"", rest) => (String.concat (List.rev parts), rest)
        | SOME (#"\\", rest) =>
            (case next rest of
              SOME (#"u", rest) => let val (part, rest) = unicode rest in go (rest, part :: parts) end
            | SOME (#"b", rest) => go (rest, "\b" :: parts)
            | SOME (#"f", rest) => go (rest, "\f" :: parts)
            | SOME (#"n", rest) => go (rest, "\n" :: parts)
            | SOME (#"r", rest) => go (rest, "\r" :: parts)
            | SOME (#"t", rest) => go (rest, "\t" :: parts)
            | SOME (c, rest) => if Char.contains "\"\\/" c then go (rest, String.str c :: parts) else bad ()
            | NONE => bad ())
        | SOME (c, rest) => go (rest, String.str c :: parts)
    in
      go (rest, nil)
    end

  fun number (first, rest) =
    let
      fun take (chars, rest) =
        case next rest of
          SOME (c, inside) =>
            if Char.isDigit c orelse Char.contains "+-.eE" c then take (c :: chars, inside) else (chars, rest)
        | NONE => (chars, rest)
      val (chars, after) = take ([first], rest)
      val text = String.implode (List.rev chars)
      fun whole reader = StringCvt.scanString (fn getc => fn s =>
        case reader getc s of
          SOME (x, s) => (case getc s of NONE => SOME (x, s) | SOME _ => NONE)
        | NONE => NONE)
      val value =
        if List.exists (Char.contains ".eE") chars then Option.map JSON.FLOAT (whole Real.scan text)
        else Option.map JSON.INT (whole (IntInf.scan StringCvt.DEC) text)
    in
      case value of
        SOME value => (value, after)
      | NONE => fail (#2 rest, "`" ^ text ^ "` is not a number")
    end

  fun value rest =
    case token rest of
      (#"[", rest) => (case token rest of (#"]", rest) => (JSON.ARRAY nil, rest) | _ => elements (rest, nil))
    | (#"{", rest) => (case token rest of (#"}", rest) => (JSON.OBJECT nil, rest) | _ => fields (rest, nil))
    | (#"\"", rest) => let val (text, rest) = string (rest, #2 rest) in (JSON.STRING text, rest) end
    | (#"t", rest) => word (String.explode "rue", JSON.BOOL true, rest)
    | (#"f", rest) => word (String.explode "alse", JSON.BOOL false, rest)
    | (#"n", rest) => word (String.explode "ull", JSON.NULL, rest)
    | (c, rest) =>
        if Char.isDigit c orelse c = #"-" then number (c, rest)
        else fail (#2 rest, "no value begins with `" ^ Char.toString c ^ "`")
  and elements (rest, found) =
    let val (element, rest) = value rest
    in
      case token rest of
        (#",", rest) => elements (rest, element :: found)
      | (#"]", rest) => (JSON.ARRAY (List.rev (element :: found)), rest)
      | (_, rest) => fail (#2 rest, "`,` or `]` must follow an element of an array")
    end
  and fields (rest, found) =
    case token rest of
      (#"\"", rest) =>
        let
          val (key, rest) = string (rest, #2 rest)
          val (element, rest) =
            case token rest of
              (#":", rest) => value rest
            | (_, rest) => fail (#2 rest, "`:` must follow a key")
          val found = (key, element) :: found
        in
          case token rest of
            (#",", rest) => fields (rest, found)
          | (#"}", rest) => (JSON.OBJECT (List.rev found), rest)
          | (_, rest) => fail (#2 rest, "`,` or `}` must follow a value of an object")
        end
    | (_, rest) => fail (#2 rest, "the keys of an object are strings")

  fun parse (Source {rest, ...}) = let val (found, after) = value (! rest) in rest := after; found end

  fun parseFile name =
    let
      val source = openFile name
      val found = parse source handle exn => (close source; raise exn)
    in
      close source;
      found
    end
end

signature JSON_PRINTER =
sig
  val print : TextIO.outstream * JSON.value -> unit
  (* With `pretty`, prints each element on a line of its own. *)
  val print' : {strm : TextIO.outstream, pretty : bool} -> JSON.value -> unit
end

structure JSONPrinter :> JSON_PRINTER =
struct
  fun quote text =
    let
      fun escape #"\"" = "\\\""
        | escape #"\\" = "\\\\"
        | escape #"\n" = "\\n"
        | escape #"\r" = "\\r"
        | escape #"\t" = "\\t"
        | escape c =
            if Char.ord c >= 32 then String.str c
            else "\\u" ^ StringCvt.padLeft #"0" 4 (Int.fmt StringCvt.HEX (Char.ord c))
    in
      "\"" ^ String.translate escape text ^ "\""
    end

  (* Replaces the sign of SML's numbers by the sign of JSON's numbers. *)
  val sign = String.map (fn #"~" => #"-" | c => c)

  fun print' {strm, pretty} value =
    let
      fun put text = TextIO.output (strm, text)
      fun line depth =
        if pretty then put ("\n" ^ CharVector.tabulate (2 * depth, fn _ => #" ")) else ()
      fun several (opens, closes, each, parts, depth) =
        let
          fun go (_, nil) = ()
            | go (first, part :: parts) =
                ( if first then () else put ","
                ; line (depth + 1)
                ; each part
                ; go (false, parts) )
        in
          put opens;
          go (true, parts);
          if List.null parts then () else line depth;
          put closes
        end
      fun go depth value =
        case value of
          JSON.NULL => put "null"
        | JSON.BOOL b => put (Bool.toString b)
        | JSON.INT n => put (sign (IntInf.toString n))
        | JSON.FLOAT x => put (sign (Real.toString x))
        | JSON.STRING s => put (quote s)
        | JSON.ARRAY parts => several ("[", "]", go (depth + 1), parts, depth)
        | JSON.OBJECT fields =>
            several
              ( "{"
              , "}"
              , fn (key, value) => (put (quote key ^ (if pretty then " : " else ":")); go (depth + 1) value)
              , fields
              , depth )
    in
      go 0 value
    end

  fun print (strm, value) = print' {strm = strm, pretty = false} value
end
