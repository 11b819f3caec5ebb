(* Integers and words of the other sizes. Each operation computes with 64 bits. *)

functor SizedInt
  (eqtype int
   val toInt : int -> Core.int
   (* Raises Overflow if the int is out of range. *)
   val fromInt : Core.int -> int
   val precision : Core.int) : INTEGER =
struct
  structure Small = SmallInt (type int = int val toInt = toInt val fromInt = fromInt val precision = precision)
  open Small
  fun a + b = fromInt (Core.Int.+ (toInt a, toInt b))
  fun a - b = fromInt (Core.Int.- (toInt a, toInt b))
  fun a * b = fromInt (Core.Int.* (toInt a, toInt b))
  fun ~ a = fromInt (Core.Int.~ (toInt a))
  fun abs a = fromInt (Core.Int.abs (toInt a))
  fun a div b = fromInt (Core.Int.div (toInt a, toInt b))
  fun a mod b = fromInt (Core.Int.mod (toInt a, toInt b))
  fun quot (a, b) = fromInt (Core.Int.quot (toInt a, toInt b))
  fun rem (a, b) = fromInt (Core.Int.rem (toInt a, toInt b))
  fun a < b = Core.Int.< (toInt a, toInt b)
  fun a <= b = Core.Int.<= (toInt a, toInt b)
  fun a > b = Core.Int.> (toInt a, toInt b)
  fun a >= b = Core.Int.>= (toInt a, toInt b)
end

functor SizedWord
  (eqtype word
   val toWord : word -> Core.word
   (* Keeps the low bits. *)
   val fromWord : Core.word -> word
   (* Extends the sign. *)
   val signed : word -> Core.word
   val wordSize : int) : WORD =
struct
  structure Small =
    SmallWord (type word = word val toWord = toWord val fromWord = fromWord val signed = signed val wordSize = wordSize)
  open Small
  fun a + b = fromWord (Core.Word.+ (toWord a, toWord b))
  fun a - b = fromWord (Core.Word.- (toWord a, toWord b))
  fun a * b = fromWord (Core.Word.* (toWord a, toWord b))
  fun ~ a = fromWord (Core.Word.~ (toWord a))
  fun a div b = fromWord (Core.Word.div (toWord a, toWord b))
  fun a mod b = fromWord (Core.Word.mod (toWord a, toWord b))
  fun a < b = Core.Word.< (toWord a, toWord b)
  fun a <= b = Core.Word.<= (toWord a, toWord b)
  fun a > b = Core.Word.> (toWord a, toWord b)
  fun a >= b = Core.Word.>= (toWord a, toWord b)
end
