infix 7 * / div mod
infix 6 + - ^
infixr 5 :: @
infix 4 = <> < <= > >=
infix 3 := o
infix 0 before
datatype bool = false | true
datatype 'a list = nil | op :: of 'a * 'a list
datatype 'a option = NONE | SOME of 'a
datatype order = LESS | EQUAL | GREATER
type int = Prim.int
type word = Prim.word
type real = Prim.real
type char = Prim.char
type string = Prim.string
type exn = Prim.exn
type unit = {}
datatype ref = datatype Prim.ref
type 'a array = 'a Prim.array
type 'a vector = 'a Prim.vector
type intinf = Prim.intinf
type word8 = Prim.word8
val intAdd = _prim "Int.add" : int * int -> int
val intSub = _prim "Int.sub" : int * int -> int
val intMul = _prim "Int.mul" : int * int -> int
val intDiv = _prim "Int.div" : int * int -> int
val intMod = _prim "Int.mod" : int * int -> int
val intNeg = _prim "Int.neg" : int -> int
val intLt = _prim "Int.lt" : int * int -> bool
val infAdd = _prim "Int.add" : intinf * intinf -> intinf
val wordAdd = _prim "Word.add" : word * word -> word
val wordSub = _prim "Word.sub" : word * word -> word
val wordLt = _prim "Word.lt" : word * word -> bool
val byteAdd = _prim "Word.add" : word8 * word8 -> word8
val realAdd = _prim "Real.add" : real * real -> real
val realSub = _prim "Real.sub" : real * real -> real
val realMul = _prim "Real.mul" : real * real -> real
val realDiv = _prim "Real.div" : real * real -> real
val realNeg = _prim "Real.neg" : real -> real
val realLt = _prim "Real.lt" : real * real -> bool
val charLt = _prim "Int.lt" : char * char -> bool
_overload + : 'a * 'a -> 'a as intAdd and wordAdd and byteAdd and realAdd and infAdd
_overload - : 'a * 'a -> 'a as intSub and wordSub and realSub
_overload * : 'a * 'a -> 'a as intMul and realMul
_overload div : 'a * 'a -> 'a as intDiv
_overload mod : 'a * 'a -> 'a as intMod
_overload / : 'a * 'a -> 'a as realDiv
_overload ~ : 'a -> 'a as intNeg and realNeg
_overload < : 'a * 'a -> bool as intLt and wordLt and realLt and charLt
_overload > : 'a * 'a -> bool as intLt and wordLt and realLt and charLt
exception Div = _exn "Div"
exception Match = _exn "Match"
exception Bind = _exn "Bind"
exception Fail = _exn "Fail" of string
val ! = _prim "Ref.get" : 'a ref -> 'a
val op := = _prim "Ref.set" : 'a ref * 'a -> unit
val size = _prim "String.size" : string -> int
fun not true = false | not false = true
fun map f [] = [] | map f (x :: xs) = f x :: map f xs
fun op @ ([], ys) = ys | op @ (x :: xs, ys) = x :: (xs @ ys)
fun op o (f, g) x = f (g x)
fun rev xs = let fun go ([], ys) = ys | go (x :: xs, ys) = go (xs, x :: ys) in go (xs, []) end
fun length [] = 0 | length (_ :: xs) = 1 + length xs
fun foldl f a [] = a | foldl f a (x :: xs) = foldl f (f (x, a)) xs
fun ignore _ = ()
structure PArray :> sig
  type 'a t
  val fromList : 'a list -> 'a t
  val rangeBy : int * int * int -> int t
  val sub : 'a t * int -> 'a
  val list : 'a t -> 'a list
end = struct
  type 'a t = 'a list
  fun fromList xs = xs
  fun rangeBy (a, b, c) = if b < a then [] else a :: rangeBy (a + c, b, c)
  fun list xs = xs
  fun sub (x :: _, 0) = x | sub (_ :: xs, n) = sub (xs, n - 1) | sub _ = raise Fail "sub"
end
structure Comprehension = struct
  fun go f [] = [] | go f (x :: xs) = f x :: go f xs
  fun keep p [] = [] | keep p (x :: xs) = if p x then x :: keep p xs else keep p xs
  val over = PArray.list
  fun both (x :: xs, y :: ys) = (x, y) :: both (xs, ys) | both _ = []
  fun map f xs = PArray.fromList (go f xs)
  fun filter p f xs = map f (keep p xs)
end
structure LazyCell :> sig
  type 'a t
  val delay : (unit -> 'a) -> 'a t
  val begin : 'a t -> unit
  val force : 'a t -> 'a
end = struct
  type 'a t = unit -> 'a
  fun delay f = f
  fun begin _ = ()
  fun force f = f ()
end

structure CML :>
sig
  type thread_id
  val spawn : (unit -> unit) -> thread_id
end =
struct
  type thread_id = unit
  fun spawn f = f ()
end
