(* Option and Bool, and their names at top level. *)

signature OPTION =
sig
  datatype option = datatype option
  exception Option
  val getOpt : 'a option * 'a -> 'a
  val isSome : 'a option -> bool
  val valOf : 'a option -> 'a
  val filter : ('a -> bool) -> 'a -> 'a option
  val join : 'a option option -> 'a option
  val app : ('a -> unit) -> 'a option -> unit
  val map : ('a -> 'b) -> 'a option -> 'b option
  val mapPartial : ('a -> 'b option) -> 'a option -> 'b option
  val compose : ('a -> 'b) * ('c -> 'a option) -> 'c -> 'b option
  val composePartial : ('a -> 'b option) * ('c -> 'a option) -> 'c -> 'b option
end

structure Option : OPTION =
struct
  datatype option = datatype option
  exception Option = Option

  fun getOpt (SOME a, _) = a
    | getOpt (NONE, a) = a
  fun isSome (SOME _) = true
    | isSome NONE = false
  fun valOf (SOME a) = a
    | valOf NONE = raise Option
  fun filter f a = if f a then SOME a else NONE
  fun join (SOME a) = a
    | join NONE = NONE
  fun app f (SOME a) = f a
    | app f NONE = ()
  fun map f (SOME a) = SOME (f a)
    | map f NONE = NONE
  fun mapPartial f (SOME a) = f a
    | mapPartial f NONE = NONE
  fun compose (f, g) c =
    case g c of
      SOME a => SOME (f a)
    | NONE => NONE
  fun composePartial (f, g) c =
    case g c of
      SOME a => f a
    | NONE => NONE
end

val getOpt = Option.getOpt
val isSome = Option.isSome
val valOf = Option.valOf

fun not true = false
  | not false = true
