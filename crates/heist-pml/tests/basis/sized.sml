(* Integers and words of 1 to 63 bits. Each function returns the result of IntInf, or raises Overflow if the result is out of range. *)
fun attempt f = SOME (f ()) handle Overflow => NONE
fun check name same = if same then () else print ("wrong: " ^ name ^ "\n")
fun power n = IntInf.pow (2, n)
fun firsts s = List.map (fn i => IntInf.fromInt i) s

functor TestInt (structure I : INTEGER val bits : int) =
struct
  val low = IntInf.~ (power (bits - 1))
  val high = power (bits - 1) - 1
  fun fits n = low <= n andalso n <= high
  val numbers =
    List.filter fits (firsts [~9, ~8, ~7, ~3, ~2, ~1, 0, 1, 2, 3, 5, 7, 8] @ [low, low + 1, low div 2, high div 2, high - 1, high])
  fun expected f = case attempt f of SOME n => if fits n then SOME n else NONE | NONE => NONE
  fun got f = Option.map I.toLarge (attempt f)
  val name = "Int" ^ Int.toString bits
  fun unary (what, f, g) =
    List.app (fn a => check (name ^ "." ^ what ^ IntInf.toString a) (got (fn () => f (I.fromLarge a)) = expected (fn () => g a))) numbers
  fun pairs f = List.app (fn a => List.app (fn b => f (a, b)) numbers) numbers
  fun binary (what, f, g) =
    pairs (fn (a, b) =>
      check (name ^ "." ^ what ^ IntInf.toString a ^ " " ^ IntInf.toString b)
        (((got (fn () => f (I.fromLarge a, I.fromLarge b))) handle Div => SOME (high + 1))
          = ((expected (fn () => g (a, b))) handle Div => SOME (high + 1))))
  fun relation (what, f, g) =
    pairs (fn (a, b) => check (name ^ "." ^ what) (f (I.fromLarge a, I.fromLarge b) = g (a, b)))
  val () = check (name ^ ".precision") (I.precision = SOME bits)
  val () = check (name ^ ".minInt") (Option.map I.toLarge I.minInt = SOME low)
  val () = check (name ^ ".maxInt") (Option.map I.toLarge I.maxInt = SOME high)
  val () = check (name ^ ".fromLarge") (not (isSome (attempt (fn () => I.fromLarge (low - 1)))))
  val () = check (name ^ ".fromLarge") (not (isSome (attempt (fn () => I.fromLarge (high + 1)))))
  val () = check (name ^ ".fromInt") (not (isSome (attempt (fn () => I.fromInt (IntInf.toInt (high + 1))))))
  val () = List.app unary [("~", I.~, IntInf.~), ("abs", I.abs, IntInf.abs)]
  val () = List.app (fn a => check (name ^ ".sign") (I.sign (I.fromLarge a) = IntInf.sign a)) numbers
  val () =
    List.app binary
      [ ("+", I.+, IntInf.+), ("-", I.-, IntInf.-), ("*", I.*, IntInf.* ), ("div", I.div, IntInf.div), ("mod", I.mod, IntInf.mod)
      , ("quot", I.quot, IntInf.quot), ("rem", I.rem, IntInf.rem), ("min", I.min, IntInf.min), ("max", I.max, IntInf.max) ]
  val () =
    List.app relation
      [ ("<", I.<, IntInf.<), ("<=", I.<=, IntInf.<=), (">", I.>, IntInf.>), (">=", I.>=, IntInf.>=), ("=", op =, op =)
      , ("sameSign", I.sameSign, IntInf.sameSign) ]
  val () = pairs (fn (a, b) => check (name ^ ".compare") (I.compare (I.fromLarge a, I.fromLarge b) = IntInf.compare (a, b)))
  val radices = [StringCvt.BIN, StringCvt.OCT, StringCvt.DEC, StringCvt.HEX]
  val () =
    List.app (fn a =>
      List.app (fn radix =>
        let val text = IntInf.fmt radix a
        in
          check (name ^ ".fmt") (I.fmt radix (I.fromLarge a) = text);
          check (name ^ ".scan") (Option.map I.toLarge (StringCvt.scanString (I.scan radix) text) = SOME a)
        end) radices) numbers
  fun read n = Option.map I.toLarge (I.fromString (IntInf.toString n))
  val () = check (name ^ ".fromString") (List.all (fn a => read a = SOME a) numbers)
  val () = check (name ^ ".fromString") (not (isSome (attempt (fn () => read (high + 1)))))
  val () = check (name ^ ".fromString") (not (isSome (attempt (fn () => read (low - 1)))))
  val () = print (name ^ " " ^ I.toString (valOf I.minInt) ^ " " ^ I.toString (valOf I.maxInt) ^ "\n")
end

functor TestWord (structure W : WORD val bits : int) =
struct
  val size = power bits
  val numbers =
    List.map (fn n => n mod size) (firsts [~8, ~3, ~2, ~1, 0, 1, 2, 3, 7, 8, 100] @ [size div 2, size div 2 - 1, size div 2 + 1, size div 3])
  val name = "Word" ^ Int.toString bits
  val word = W.fromLargeInt
  val number = W.toLargeInt
  fun signed n = if n >= size div 2 then n - size else n
  fun pairs f = List.app (fn a => List.app (fn b => f (a, b)) numbers) numbers
  fun unary (what, f, g) =
    List.app (fn a => check (name ^ "." ^ what) (number (f (word a)) = g a mod size)) numbers
  fun binary (what, f, g) =
    pairs (fn (a, b) =>
      check (name ^ "." ^ what)
        ((number (f (word a, word b)) handle Div => size) = (g (a, b) mod size handle Div => size)))
  fun shift (what, f, g) =
    List.app (fn a =>
      List.app (fn count => check (name ^ "." ^ what) (number (f (word a, Word.fromInt count)) = g (a, Word.fromInt count) mod size))
        [0, 1, 2, bits - 1, bits, bits + 1, 63, 64, 65]) numbers
  val () = check (name ^ ".wordSize") (W.wordSize = bits)
  val () = List.app unary [("~", W.~, IntInf.~), ("notb", W.notb, IntInf.notb)]
  val () =
    List.app binary
      [ ("+", W.+, IntInf.+), ("-", W.-, IntInf.-), ("*", W.*, IntInf.* ), ("div", W.div, IntInf.div), ("mod", W.mod, IntInf.mod)
      , ("andb", W.andb, IntInf.andb), ("orb", W.orb, IntInf.orb), ("xorb", W.xorb, IntInf.xorb), ("min", W.min, IntInf.min)
      , ("max", W.max, IntInf.max) ]
  val () =
    List.app shift
      [("<<", W.<<, IntInf.<<), (">>", W.>>, IntInf.~>>), ("~>>", W.~>>, fn (a, count) => IntInf.~>> (signed a, count))]
  val () =
    pairs (fn (a, b) =>
      (check (name ^ ".compare") (W.compare (word a, word b) = IntInf.compare (a, b));
       check (name ^ ".<") (W.< (word a, word b) = (a < b) andalso W.<= (word a, word b) = (a <= b));
       check (name ^ ".>") (W.> (word a, word b) = (a > b) andalso W.>= (word a, word b) = (a >= b));
       check (name ^ ".=") ((word a = word b) = (a = b))))
  val radices = [StringCvt.BIN, StringCvt.OCT, StringCvt.DEC, StringCvt.HEX]
  val () =
    List.app (fn a =>
      (check (name ^ ".toLargeIntX") (W.toLargeIntX (word a) = signed a);
       check (name ^ ".toLarge") (Word.toLargeInt (W.toLarge (word a)) = a);
       check (name ^ ".toLargeX") (Word.toLargeIntX (W.toLargeX (word a)) = signed a);
       check (name ^ ".fromLarge") (W.fromLarge (Word.fromLargeInt (a - size)) = word a);
       check (name ^ ".toInt") (Option.map IntInf.fromInt (attempt (fn () => W.toInt (word a))) = SOME a);
       check (name ^ ".toIntX") (IntInf.fromInt (W.toIntX (word a)) = signed a);
       check (name ^ ".fromInt") (W.fromInt (IntInf.toInt (signed a)) = word a);
       List.app (fn radix =>
         let val text = IntInf.fmt radix a
         in
           check (name ^ ".fmt") (W.fmt radix (word a) = text);
           check (name ^ ".scan") (Option.map number (StringCvt.scanString (W.scan radix) text) = SOME a)
         end) radices)) numbers
  val () = check (name ^ ".fromString") (not (isSome (attempt (fn () => W.fromString (IntInf.fmt StringCvt.HEX size)))))
  val () = print (name ^ " " ^ W.toString (W.~ (W.fromInt 1)) ^ "\n")
end

structure T = TestInt (structure I = Int1 val bits = 1)
structure T = TestInt (structure I = Int2 val bits = 2)
structure T = TestInt (structure I = Int5 val bits = 5)
structure T = TestInt (structure I = Int8 val bits = 8)
structure T = TestInt (structure I = Int15 val bits = 15)
structure T = TestInt (structure I = Int31 val bits = 31)
structure T = TestInt (structure I = Int33 val bits = 33)
structure T = TestInt (structure I = Int62 val bits = 62)
structure T = TestInt (structure I = Int63 val bits = 63)
structure T = TestWord (structure W = Word1 val bits = 1)
structure T = TestWord (structure W = Word2 val bits = 2)
structure T = TestWord (structure W = Word7 val bits = 7)
structure T = TestWord (structure W = Word16 val bits = 16)
structure T = TestWord (structure W = Word17 val bits = 17)
structure T = TestWord (structure W = Word31 val bits = 31)
structure T = TestWord (structure W = Word33 val bits = 33)
structure T = TestWord (structure W = Word62 val bits = 62)
structure T = TestWord (structure W = Word63 val bits = 63)

(* Literals, patterns and overloaded operators. *)
fun name (0 : Int3.int) = "zero"
  | name 3 = "most"
  | name ~4 = "least"
  | name n = if abs n = n then "positive" else "negative"
val () = print (String.concatWith " " (List.map name [0, 3, ~4, 1, ~1]) ^ "\n")
fun turn (0w0 : Word2.word) = 0w1
  | turn 0w1 = 0w2
  | turn 0w2 = 0w3
  | turn 0w3 = 0wx0
val () = print (String.concatWith " " (List.map (Word2.toString o turn) [0w0, 0w1, 0w2, 0w3]) ^ "\n")
fun mean (a, b) = (a + b) div (2 : Int40.int)
val () = print (Int40.toString (mean (549755813886, ~2)) ^ "\n")
val () = print (Int40.toString (mean (549755813887, 1)) ^ "\n") handle Overflow => print "Overflow\n"
fun fib (n : Word5.word) : Word5.word = if n <= 0w1 then n else fib (n - 0w1) + fib (n - 0w2)
val () = print (Int.toString (Word5.toInt (fib 0w20)) ^ "\n")
val table = Array.array (3, (0w0 : Word12.word, ~1 : Int12.int))
val () = Array.update (table, 1, (~ 0w1, 2047))
val () = Array.app (fn (w, i) => print (Word12.toString w ^ " " ^ Int12.toString i ^ "\n")) table
val () = print (Bool.toString (Array.sub (table, 1) = (0wxFFF, 2046 + 1)) ^ "\n")
structure Mine = Int6
datatype t = Leaf of Mine.int | Node of t * t
fun total (Leaf n) = n | total (Node (a, b)) = total a + total b
val () = print (Mine.toString (total (Node (Leaf 20, Leaf 11))) ^ "\n")
val () = print (Mine.toString (total (Node (Leaf 20, Leaf 12))) ^ "\n") handle Overflow => print "Overflow\n"
