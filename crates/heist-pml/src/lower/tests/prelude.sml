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
val intAdd = _prim "Int.add" : int * int -> int
val intSub = _prim "Int.sub" : int * int -> int
val intMul = _prim "Int.mul" : int * int -> int
val intDiv = _prim "Int.div" : int * int -> int
val intMod = _prim "Int.mod" : int * int -> int
val intNeg = _prim "Int.neg" : int -> int
val intLt = _prim "Int.lt" : int * int -> bool
val intGt = _prim "Int.gt" : int * int -> bool
val intLe = _prim "Int.le" : int * int -> bool
val intGe = _prim "Int.ge" : int * int -> bool
val infAdd = _prim "rt.IntInf.add" : intinf * intinf -> intinf
val infMul = _prim "rt.IntInf.mul" : intinf * intinf -> intinf
val infInt = _prim "rt.IntInf.toInt" : intinf -> int
val realAdd = _prim "Real.add" : real * real -> real
val realMul = _prim "Real.mul" : real * real -> real
val realDiv = _prim "Real.div" : real * real -> real
val realLt = _prim "Real.lt" : real * real -> bool
val realGt = _prim "Real.gt" : real * real -> bool
val floor = _prim "Real.toInt" : real -> int
val charLt = _prim "Int.lt" : char * char -> bool
val charGt = _prim "Int.gt" : char * char -> bool
_overload + : 'a * 'a -> 'a as intAdd and realAdd and infAdd
_overload - : 'a * 'a -> 'a as intSub
_overload * : 'a * 'a -> 'a as intMul and realMul and infMul
_overload div : 'a * 'a -> 'a as intDiv
_overload mod : 'a * 'a -> 'a as intMod
_overload / : 'a * 'a -> 'a as realDiv
_overload ~ : 'a -> 'a as intNeg
_overload < : 'a * 'a -> bool as intLt and realLt and charLt
_overload > : 'a * 'a -> bool as intGt and realGt and charGt
_overload <= : 'a * 'a -> bool as intLe
_overload >= : 'a * 'a -> bool as intGe
exception Div = _exn "Div"
exception Match = _exn "Match"
exception Bind = _exn "Bind"
exception Overflow = _exn "Overflow"
exception Subscript = _exn "Subscript"
exception Fail = _exn "Fail" of string
val op = = _prim "Poly.eq" : ''a * ''a -> bool
val op <> = _prim "Poly.ne" : ''a * ''a -> bool
val ! = _prim "Ref.get" : 'a ref -> 'a
val op := = _prim "Ref.set" : 'a ref * 'a -> unit
val print = _prim "rt.Io.print" : string -> unit
val size = _prim "String.size" : string -> int
val ord = _prim "cast" : char -> int
val chr = _prim "cast" : int -> char
val strGet = _prim "String.get" : string * int -> char
val bytesNew = _prim "Bytes.new" : int -> Prim.bytes
val bytesSet = _prim "Bytes.set" : Prim.bytes * int * char -> unit
val copy = _prim "rt.Bytes.copy" : string * int * Prim.bytes * int * int -> unit
val ofBytes = _prim "String.ofBytes" : Prim.bytes -> string
val exnName = _prim "Exn.name" : exn -> string
val array = _prim "Array.new" : int * 'a -> 'a array
val sub = _prim "Array.get" : 'a array * int -> 'a
val update = _prim "Array.set" : 'a array * int * 'a -> unit
val length = _prim "Array.length" : 'a array -> int
val vector = _prim "Vector.ofArray" : 'a array -> 'a vector
fun not true = false | not false = true
fun map f [] = [] | map f (x :: xs) = f x :: map f xs
fun app f [] = () | app f (x :: xs) = (f x; app f xs)
fun foldl f a [] = a | foldl f a (x :: xs) = foldl f (f (x, a)) xs
fun rev l = foldl (op ::) [] l
fun op @ ([], ys) = ys | op @ (x :: xs, ys) = x :: (xs @ ys)
fun (f o g) x = f (g x)
fun op ^ (a, b) =
  let
    val bytes = bytesNew (size a + size b)
  in
    copy (a, 0, bytes, 0, size a); copy (b, 0, bytes, size a, size b); ofBytes bytes
  end
fun str c = let val b = bytesNew 1 in bytesSet (b, 0, c); ofBytes b end
fun show n =
  if n < 0 then "~" ^ show (~ n)
  else if n < 10 then str (chr (n + 48))
  else show (n div 10) ^ show (n mod 10)
fun say s = print (s ^ "\n")
fun sayInt n = say (show n)
fun sayBool b = say (if b then "true" else "false")
