(* A signature has a datatype that mentions another type of the signature. The structure defines that type. *)
structure Names :
  sig
    type name
    datatype item = NAME of name | PAIR of name * int | NONE
    val make : string -> name
    val show : name -> string
  end =
struct
  type name = string
  datatype item = NAME of name | PAIR of name * int | NONE
  fun make s = s
  fun show s = "<" ^ s ^ ">"
end
open Names
fun text (NAME n) = show n
  | text (PAIR (n, i)) = show n ^ Int.toString i
  | text NONE = "none"
val () = List.app (fn i => print (text i ^ "\n")) [NAME (make "a"), PAIR (make "b", 2), NONE, NAME "c"]

structure Where : sig type t datatype d = D of t list end where type t = real =
struct
  type t = real
  datatype d = D of t list
end
val Where.D l = Where.D [1.5, 2.5]
val () = print (Real.toString (List.foldl op + 0.0 l) ^ "\n")

functor Make (X : sig type t datatype box = BOX of t | EMPTY end) : sig type t = X.t val get : X.box -> t option end =
struct
  type t = X.t
  fun get (X.BOX x) = SOME x
    | get X.EMPTY = Option.NONE
end
structure M = Make (struct type t = string * int datatype box = BOX of t | EMPTY end)
structure Box = struct type t = int datatype box = BOX of t | EMPTY end
structure N = Make (Box)
val () = print (Int.toString (getOpt (N.get (Box.BOX 5), 0) + getOpt (N.get Box.EMPTY, 10)) ^ "\n")
