(* The structures and names of Manticore's basis. Their ints have 32 bits. Names of the standard Basis that mention no ints are
   unchanged. *)

structure Wide =
struct
  val out = Machine.Int.toWide
  val back = Machine.Int.ofWide

  (* Replaces SML's minus by the minus of C. *)
  fun minus s =
    if String.isSubstring "~" s then String.map (fn #"~" => #"-" | c => c) s else s

  (* Reads a number as C does, after spaces. *)
  fun long s = Option.map Machine.Long.ofWide (Int.fromString s) handle Overflow => NONE
end

structure Int =
struct
  type int = Machine.int
  fun toString n = Wide.minus (Int.toString (Wide.out n))
  fun fromString s = Option.map Wide.back (Int.fromString s) handle Overflow => NONE
  val abs = Machine.Int.abs
  fun max (x : int, y) = if x < y then y else x
  fun min (x : int, y) = if x < y then x else y
  fun compare (x : int, y) = if x < y then LESS else if x = y then EQUAL else GREATER
  fun sign (n : int) = if n < 0 then ~1 else if n = 0 then 0 else 1 : int
  fun sameSign (m, n) = sign m = sign n
  fun toLong n = Machine.Long.ofWide (Wide.out n)
  fun fromLong n = Machine.Int.ofWide (Machine.Long.toWide n)
  fun floorLg n = if n <= 0 then 0 else Wide.back (IntInf.log2 (IntInf.fromInt (Wide.out n)))
  fun ceilingLg n = if n <= 1 then 0 else floorLg (n - 1) + 1
  fun quot (a, b) = Machine.Int.div (a, b)
  fun rem (a, b) = Machine.Int.mod (a, b)
end

structure Long =
struct
  type long = Machine.long
  fun toString n = Wide.minus (Core.String.append ("", IntInf.toString (IntInf.fromInt (Machine.Long.toWide n))))
  val fromString = Wide.long
  val abs = Machine.Long.abs
  fun max (x : long, y) = if x < y then y else x
  fun min (x : long, y) = if x < y then x else y
  fun compare (x : long, y) = if x < y then LESS else if x = y then EQUAL else GREATER
  fun toInt n = Machine.Int.ofWide (Machine.Long.toWide n)
  fun fromInt n = Machine.Long.ofWide (Wide.out n)
end

structure Double =
struct
  type double = Machine.double
  fun toString x = Wide.minus (Real.fmt (StringCvt.FIX (SOME (Wide.out 10))) x)
  val fromString = Real.fromString
  fun fromInt n = Core.Real.fromInt (Wide.out n)
  fun fromLong n = Core.Real.fromInt (Machine.Long.toWide n)
  fun fromFloat x = Machine.Float.toDouble x
  fun toFloat x = Machine.Float.ofDouble x
  (* Rounds halves away from 0. *)
  fun nearest x = if x < 0.0 then Core.Real.ceil (x - 0.5) else Core.Real.floor (x + 0.5)
  fun round x = Machine.Long.ofWide (Core.Real.toInt (nearest x))
  fun trunc x = Wide.back (Core.Real.toInt x)
  fun floor x = Wide.back (Core.Real.toInt (Core.Real.floor x))
  fun ceil x = Wide.back (Core.Real.toInt (Core.Real.ceil x))
  val intFloor = floor
  open Core.Math
  val pi = Math.pi
  val log2 = fn x => ln x / ln 2.0
  val sqrt = Core.Real.sqrt
  val pow = Math.pow
  val abs = Core.Real.abs
  fun max (x : double, y) = if x > y then x else y
  fun min (x : double, y) = if x < y then x else y
  fun compare (x : double, y) = if x < y then LESS else if x > y then GREATER else EQUAL
end

structure Float =
struct
  type float = Machine.float
  fun toString x = Wide.minus (Real.fmt (StringCvt.FIX (SOME (Wide.out 6))) (Machine.Float.toDouble x))
  fun fromString s = Option.map Machine.Float.ofDouble (Real.fromString s)
  fun fromInt n = Machine.Float.ofDouble (Double.fromInt n)
  fun fromLong n = Machine.Float.ofDouble (Double.fromLong n)
  val toDouble = Machine.Float.toDouble
  val fromDouble = Machine.Float.ofDouble
  fun by f x = Machine.Float.ofDouble (f (Machine.Float.toDouble x))
  fun sqrt x = by Core.Real.sqrt x
  fun sin x = by Core.Math.sin x
  fun cos x = by Core.Math.cos x
  fun tan x = by Core.Math.tan x
  fun asin x = by Core.Math.asin x
  fun acos x = by Core.Math.acos x
  fun atan x = by Core.Math.atan x
  fun exp x = by Core.Math.exp x
  fun ln x = by Core.Math.ln x
  fun atan2 (x, y) = Machine.Float.ofDouble (Core.Math.atan2 (toDouble x, toDouble y))
  fun pow (x, y) = Machine.Float.ofDouble (Math.pow (toDouble x, toDouble y))
  fun round x = Double.round (toDouble x)
  fun trunc x = Double.trunc (toDouble x)
  fun floor x = Double.floor (toDouble x)
  fun ceil x = Double.ceil (toDouble x)
  val abs = Machine.Float.abs
  fun max (x : float, y) = if x > y then x else y
  fun min (x : float, y) = if x < y then x else y
  fun compare (x : float, y) = if x < y then LESS else if x > y then GREATER else EQUAL
end

structure Real = Double

structure List =
struct
  open List
  fun length l = Wide.back (List.length l)
  fun nth (l, n) = List.nth (l, Wide.out n)
  fun take (l, n) = List.take (l, Wide.out n)
  fun drop (l, n) = List.drop (l, Wide.out n)
  fun tabulate (n, f) = List.tabulate (Wide.out n, fn i => f (Wide.back i))
  fun append (a, b) = a @ b
  val zip = ListPair.zip
  val unzip = ListPair.unzip
  fun unzip3 l = (map #1 l, map #2 l, map (fn (_, _, c) => c) l)
  fun zipWith (f, a, b) = ListPair.map f (a, b)
end

structure Char =
struct
  open Char
  fun ord c = Wide.back (Char.ord c)
  fun chr n = Char.chr (Wide.out n)
  val maxOrd = Wide.back Char.maxOrd
end

structure String =
struct
  open String
  fun size s = Wide.back (String.size s)
  fun sub (s, i) = String.sub (s, Wide.out i)
  fun substring (s, i, n) = String.substring (s, Wide.out i, Wide.out n)
  fun extract (s, i, n) = String.extract (s, Wide.out i, Option.map Wide.out n)
  val maxSize = Wide.back String.maxSize
  fun same (a : string, b) = a = b
  (* Returns the parts of `s` between the characters of `separators`. *)
  fun tokenize separators s = String.tokens (Char.contains separators) s
end

structure Array =
struct
  open Array
  fun emptyArray () = Array.fromList nil
  fun array (n, x) = Array.array (Wide.out n, x)
  fun tabulate (n, f) = Array.tabulate (Wide.out n, fn i => f (Wide.back i))
  fun length a = Wide.back (Array.length a)
  fun sub (a, i) = Array.sub (a, Wide.out i)
  fun update (a, i, x) = Array.update (a, Wide.out i, x)
  fun map f a = Array.tabulate (Array.length a, fn i => f (Array.sub (a, i)))
  fun appi f a = Array.appi (fn (i, x) => f (Wide.back i, x)) a
  fun modifyi f a = Array.modifyi (fn (i, x) => f (Wide.back i, x)) a
  fun foldli f b a = Array.foldli (fn (i, x, b) => f (Wide.back i, x, b)) b a
  fun foldri f b a = Array.foldri (fn (i, x, b) => f (Wide.back i, x, b)) b a
  fun copy {src, dst, di} = Array.copy {src = src, dst = dst, di = Wide.out di}
end

structure Vector =
struct
  open Vector
  fun tabulate (n, f) = Vector.tabulate (Wide.out n, fn i => f (Wide.back i))
  fun length v = Wide.back (Vector.length v)
  (* The first argument is the length of the list. *)
  fun fromListN (_ : int, l) = Vector.fromList l
  fun fromListRev (l, _ : int) = Vector.fromList (rev l)
  fun sub (v, i) = Vector.sub (v, Wide.out i)
  fun update (v, i, x) = Vector.update (v, Wide.out i, x)
  fun appi f v = Vector.appi (fn (i, x) => f (Wide.back i, x)) v
  fun mapi f v = Vector.mapi (fn (i, x) => f (Wide.back i, x)) v
  fun foldli f b v = Vector.foldli (fn (i, x, b) => f (Wide.back i, x, b)) b v
  fun foldri f b v = Vector.foldri (fn (i, x, b) => f (Wide.back i, x, b)) b v
end

structure Rope =
struct
  type 'a rope = 'a parray
  fun length r = Wide.back (PArray.length r)
  fun sub (r, i) = PArray.sub (r, Wide.out i)
  fun tabulate (n, f) = PArray.tab (Wide.out n, fn i => f (Wide.back i))
  val tab = tabulate
  (* The range includes the first index, and excludes the second index. *)
  fun tabulateSequential f (low, high) =
    PArray.tab (Int64.max (Wide.out high - Wide.out low, Wide.out 0), fn i => f (Wide.back i + low))
  fun empty () = PArray.fromList nil
  fun singleton x = PArray.fromList [x]
  fun isEmpty r = null (PArray.toList r)
  val fromList = PArray.fromList
  val toList = PArray.toList
  val map = PArray.map
  val app = PArray.app
  val filter = PArray.filter
  val reduce = PArray.reduce
  val scan = PArray.scan
  fun concat (a, b) = PArray.append (a, b)
end

structure PArray =
struct
  open PArray
  fun length a = Wide.back (PArray.length a)
  fun sub (a, i) = PArray.sub (a, Wide.out i)
  fun tab (n, f) = PArray.tab (Wide.out n, fn i => f (Wide.back i))
  val tabulate = tab
  (* The range includes both ends. *)
  fun rangeBy (from, to, step) = PArray.map Wide.back (PArray.rangeBy (Wide.out from, Wide.out to, Wide.out step))
  val range = rangeBy
  fun tabFromToStep (from, to, step, f) = PArray.map f (rangeBy (from, to, step))
  fun tab2D ((i, i', di), (j, j', dj), f) =
    tabFromToStep (i, i', di, fn i => tabFromToStep (j, j', dj, fn j => f (i, j)))
  fun tab3D (i, j, (k, k', dk), f) = tab2D (i, j, fn (i, j) => tabFromToStep (k, k', dk, fn k => f (i, j, k)))
  fun tab4D (i, j, k, (l, l', dl), f) = tab3D (i, j, k, fn (i, j, k) => tabFromToStep (l, l', dl, fn l => f (i, j, k, l)))
  fun tab5D (i, j, k, l, (m, m', dm), f) =
    tab4D (i, j, k, l, fn (i, j, k, l) => tabFromToStep (m, m', dm, fn m => f (i, j, k, l, m)))
  fun mapi f a = PArray.mapi (fn (i, x) => f (Wide.back i, x)) a
  fun concat (a, b) = PArray.append (a, b)
  fun empty () = fromList nil
  fun toRope a = a
  fun fromRope r = r
  fun toString f between a = String.concat ["[|", PArray.toString f between a, "|]"]
  fun tos_int a = toString Int.toString "," a
  fun tos_intPair a =
    toString (fn (m, n) => String.concat ["(", Int.toString m, ",", Int.toString n, ")"]) "," a
  fun tos_dbl a = toString Double.toString "," a
  fun rows f a =
    case toList a of
      nil => "[||]"
    | rows => String.concat ["[|", String.concatWith ",\n" (List.map f rows), "\n|]"]
  fun tos_intParr a = rows tos_int a
  fun tos_intParrParr a = rows tos_intParr a
  fun tos_dblParr a = rows tos_dbl a
  fun tos_dblParrParr a = rows tos_dblParr a
  fun tos_double a = tos_dbl a
  fun tos_float a = toString Float.toString "," a
  fun tos_floatParr a = rows tos_float a
  fun tos_floatParrParr a = rows tos_floatParr a
  fun tos_long a = toString Long.toString "," a
  fun tos_longParr a = rows tos_long a
  fun tos_longParrParr a = rows tos_longParr a
  fun tos_bool a = toString Bool.toString "," a
  fun tos_boolParr a = rows tos_bool a
  fun tos_char a = toString (fn c => "#\"" ^ Char.toString c ^ "\"") "," a
  fun tos_charParr a = rows tos_char a
  fun tos_string a = toString (fn s => "\"" ^ String.toString s ^ "\"") "," a
  fun tos_stringParr a = rows tos_string a
end

structure Rope =
struct
  open Rope
  val tabFromToStep = PArray.tabFromToStep
  val tab2D = PArray.tab2D
  val tab3D = PArray.tab3D
  val tab4D = PArray.tab4D
  val tab5D = PArray.tab5D
end

structure Print =
struct
  val print = print
  fun printLn s = (print s; print "\n")
  (* Prints the name of an order. *)
  fun printOrd order =
    print (case order of LESS => "LESS" | EQUAL => "EQUAL" | GREATER => "GREATER")
end

structure Rand =
struct
  val state = Random.rand (Wide.out 1, Wide.out 2)
  fun seed () =
    let
      val fresh = Random.rand (Core.System.now (), Core.System.monotonic ())
      val _ = Random.randInt fresh
    in
      ()
    end
  (* The range excludes the upper end. *)
  fun below (low, high) = if low >= high then low else Random.randRange (low, high - Wide.out 1) state
  fun inRange (low, high) = Machine.Long.ofWide (below (Machine.Long.toWide low, Machine.Long.toWide high))
  val inRangeLong = inRange
  fun inRangeInt (low, high) = Wide.back (below (Wide.out low, Wide.out high))
  fun randDouble (low, high) = low + (high - low) * Random.randReal state
  fun randFloat (low, high) =
    Machine.Float.ofDouble (randDouble (Machine.Float.toDouble low, Machine.Float.toDouble high))
end

structure Time =
struct
  (* A time in microseconds. *)
  type time = Machine.long
  fun now () = Machine.Long.ofWide (Core.Int.quot (Core.System.now (), Wide.out 1000))
  fun fromSecs (t : time) = t * 1000000
  fun toSecs (t : time) = t div 1000000
  fun toString (t : time) =
    let
      val (sign, t) = if t < 0 then ("-", ~ t) else ("", t)
      val milliseconds = Long.toString (t div 1000 mod 1000)
    in
      String.concat [sign, Long.toString (toSecs t), ".", StringCvt.padLeft #"0" (Wide.out 3) milliseconds]
    end
  fun toStringMicrosec (t : time) =
    let
      val (sign, t) = if t < 0 then ("-", ~ t) else ("", t)
      val microseconds = Long.toString (t mod 1000000)
    in
      String.concat [sign, Long.toString (toSecs t), ".", StringCvt.padLeft #"0" (Wide.out 6) microseconds]
    end
  fun timeToEval f =
    let
      val start = now ()
      val x = f ()
    in
      (x, now () - start)
    end
end

fun fst (x, _) = x
fun snd (_, y) = y
fun compose (f, g) x = f (g x)
val nth = List.nth
val length = List.length
val size = String.size
val ord = Char.ord
val chr = Char.chr
val substring = String.substring
val real = Double.fromInt
val floor = Double.floor
val ceil = Double.ceil
val trunc = Double.trunc
val round = Double.round
val range = fn (from, to) => PArray.rangeBy (from, to, 1)
val subP = PArray.sub
val lengthP = PArray.length
fun mapP f a = PArray.map f a
fun filterP f a = PArray.filter f a
fun reduceP f unit a = PArray.reduce f unit a
fun scanP f unit a = PArray.scan f unit a

structure SumP =
struct
  fun int a = PArray.reduce Machine.Int.+ 0 a
  fun long a = PArray.reduce Machine.Long.+ 0 a
  fun double a = PArray.reduce Core.Real.+ 0.0 a
  fun float a = PArray.reduce Machine.Float.+ 0.0 a
end

_overload sumP : 'a parray -> 'a as SumP.int and SumP.long and SumP.double and SumP.float
