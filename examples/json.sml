(* A JSON parser and printer. The program makes a document, prints it, parses the text, and compares and measures the results.
   Argument: number of records in the document (5000). *)

datatype json =
    Null
  | Bool of bool
  | Number of real
  | String of string
  | Array of json list
  | Object of (string * json) list

exception Syntax of int * string

fun parse text =
  let
    val n = size text
    fun fail (i, what) = raise Syntax (i, what)
    fun skip i = if i < n andalso Char.isSpace (String.sub (text, i)) then skip (i + 1) else i
    fun expect (i, word, value) =
      if i + size word <= n andalso substring (text, i, size word) = word then
        (value, i + size word)
      else
        fail (i, word ^ " expected")
    fun value i =
      let
        val i = skip i
      in
        if i >= n then
          fail (i, "a value expected")
        else
          case String.sub (text, i) of
              #"n" => expect (i, "null", Null)
            | #"t" => expect (i, "true", Bool true)
            | #"f" => expect (i, "false", Bool false)
            | #"\"" => let val (s, i) = string (i + 1) in (String s, i) end
            | #"[" => array (skip (i + 1))
            | #"{" => object (skip (i + 1))
            | _ => number i
      end
    and string start =
      let
        fun plain (from, i, done) =
          if i >= n then
            fail (i, "a string that does not end")
          else
            case String.sub (text, i) of
                #"\"" => (concat (rev (substring (text, from, i - from) :: done)), i + 1)
              | #"\\" => escape (i + 1, substring (text, from, i - from) :: done)
              | _ => plain (from, i + 1, done)
        and escape (i, done) =
          if i >= n then
            fail (i, "an escape that does not end")
          else
            case String.sub (text, i) of
                #"n" => plain (i + 1, i + 1, "\n" :: done)
              | #"t" => plain (i + 1, i + 1, "\t" :: done)
              | #"\"" => plain (i + 1, i + 1, "\"" :: done)
              | #"\\" => plain (i + 1, i + 1, "\\" :: done)
              | #"/" => plain (i + 1, i + 1, "/" :: done)
              | c => fail (i, "no escape: " ^ str c)
      in
        plain (start, start, [])
      end
    and number i =
      let
        fun part c = Char.isDigit c orelse Char.contains "+-.eE" c
        fun stop j = if j < n andalso part (String.sub (text, j)) then stop (j + 1) else j
        val j = stop i
        val digits = String.map (fn #"-" => #"~" | c => c) (substring (text, i, j - i))
      in
        case Real.fromString digits of
            SOME r => if j > i then (Number r, j) else fail (i, "a value expected")
          | NONE => fail (i, "a value expected")
      end
    and array i =
      if i < n andalso String.sub (text, i) = #"]" then
        (Array [], i + 1)
      else
        let
          fun items (i, done) =
            let
              val (v, i) = value i
              val i = skip i
            in
              if i >= n then
                fail (i, "] expected")
              else
                case String.sub (text, i) of
                    #"," => items (i + 1, v :: done)
                  | #"]" => (Array (rev (v :: done)), i + 1)
                  | _ => fail (i, "] expected")
            end
        in
          items (i, [])
        end
    and object i =
      if i < n andalso String.sub (text, i) = #"}" then
        (Object [], i + 1)
      else
        let
          fun fields (i, done) =
            let
              val i = skip i
              val () =
                if i < n andalso String.sub (text, i) = #"\"" then
                  ()
                else
                  fail (i, "a name expected")
              val (name, i) = string (i + 1)
              val i = skip i
              val () =
                if i < n andalso String.sub (text, i) = #":" then () else fail (i, ": expected")
              val (v, i) = value (i + 1)
              val i = skip i
            in
              if i >= n then
                fail (i, "} expected")
              else
                case String.sub (text, i) of
                    #"," => fields (i + 1, (name, v) :: done)
                  | #"}" => (Object (rev ((name, v) :: done)), i + 1)
                  | _ => fail (i, "} expected")
            end
        in
          fields (i, [])
        end
    val (v, i) = value 0
    val i = skip i
  in
    if i = n then v else fail (i, "more after the value")
  end

fun quote s =
  "\""
    ^ String.translate
      (fn #"\n" => "\\n" | #"\t" => "\\t" | #"\"" => "\\\"" | #"\\" => "\\\\" | c => str c) s ^ "\""

fun number r =
  let
    val k = Real.trunc r
    val s = if Real.== (real k, r) then Int.toString k else Real.toString r
  in
    String.map (fn #"~" => #"-" | c => c) s
  end

(* Collects the pieces in a list, the last piece first. *)
fun pieces (v, done) =
  case v of
      Null => "null" :: done
    | Bool b => Bool.toString b :: done
    | Number r => number r :: done
    | String s => quote s :: done
    | Array [] => "[]" :: done
    | Array (first :: rest) =>
        "]" :: foldl (fn (v, done) => pieces (v, "," :: done)) (pieces (first, "[" :: done)) rest
    | Object [] => "{}" :: done
    | Object ((name, v) :: rest) =>
        "}"
          :: foldl (fn ((name, v), done) => pieces (v, ":" :: quote name :: "," :: done))
            (pieces (v, ":" :: quote name :: "{" :: done)) rest

fun toString v = concat (rev (pieces (v, [])))

fun same (Null, Null) = true
  | same (Bool a, Bool b) = a = b
  | same (Number a, Number b) = Real.== (a, b)
  | same (String a, String b) = a = b
  | same (Array a, Array b) = ListPair.allEq same (a, b)
  | same (Object a, Object b) =
      ListPair.allEq (fn ((x, v), (y, w)) => x = y andalso same (v, w)) (a, b)
  | same _ = false

fun depth (Array vs) = 1 + foldl (fn (v, d) => Int.max (d, depth v)) 0 vs
  | depth (Object fs) = 1 + foldl (fn ((_, v), d) => Int.max (d, depth v)) 0 fs
  | depth _ = 0

fun sum (Number r) = r
  | sum (Array vs) = foldl (fn (v, s) => s + sum v) 0.0 vs
  | sum (Object fs) = foldl (fn ((_, v), s) => s + sum v) 0.0 fs
  | sum _ = 0.0

fun record i =
  Object [("id", Number (real i)),
     ("name", String ("item \"" ^ Int.toString i ^ "\"\n")),
     ("price", Number (real (i mod 100) + 0.25)),
     ("tags", Array (List.tabulate (i mod 4, fn k => String (str (chr (97 + k)))))),
     ("stock",
      if i mod 3 = 0 then
        Null
      else
        Object [("here", Bool (i mod 2 = 0)), ("there", Number (real (~i)))])]

fun main () =
  let
    val n = case CommandLine.arguments () of s :: _ => valOf (Int.fromString s) | [] => 5000
    val document = Array (List.tabulate (n, record))
    val text = toString document
    val parsed = parse text
  in
    print
      (Int.toString (size text) ^ " characters, depth " ^ Int.toString (depth parsed) ^ ", sum "
         ^ number (sum parsed) ^ (if same (document, parsed) then ", same\n" else ", DIFFERENT\n"));
    print (toString (parse " { \"a\" : [1, -2.5e1, true, {}], \"b\\t\" : null } ") ^ "\n");
    app (fn bad =>
         (ignore (parse bad); print "accepted?\n")
           handle Syntax (i, what) => print ("at " ^ Int.toString i ^ ": " ^ what ^ "\n"))
      ["[1, 2", "{\"a\" 1}", "\"open", "[1] 2", "nul", ""]
  end

val () = main ()
