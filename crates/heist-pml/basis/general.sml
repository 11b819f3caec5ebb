(* General, and the names of General that are at top level. *)

signature GENERAL =
sig
  eqtype unit
  type exn
  exception Bind
  exception Match
  exception Chr
  exception Div
  exception Domain
  exception Fail of string
  exception Overflow
  exception Size
  exception Span
  exception Subscript
  datatype order = datatype order
  val exnName : exn -> string
  val exnMessage : exn -> string
  val ! : 'a ref -> 'a
  val := : 'a ref * 'a -> unit
  val before : 'a * unit -> 'a
  val ignore : 'a -> unit
  val o : ('b -> 'c) * ('a -> 'b) -> 'a -> 'c
end

(* Other structures use this structure to describe their exceptions; General itself describes only the exceptions of the language. *)
structure ExnMessage =
struct
  val others : (exn -> string option) list ref = ref nil
  fun add f = others := f :: ! others

  fun find (exn, nil) = NONE
    | find (exn, f :: rest) =
        (case f exn of
           NONE => find (exn, rest)
         | some => some)
end

structure General : GENERAL =
struct
  type unit = unit
  type exn = exn
  exception Bind = Bind
  exception Match = Match
  exception Chr = Chr
  exception Div = Div
  exception Domain = Domain
  exception Fail = Fail
  exception Overflow = Overflow
  exception Size = Size
  exception Span = Span
  exception Subscript = Subscript
  datatype order = datatype order

  val exnName = Core.exnName

  fun exnMessage (Fail text) = Core.String.append ("Fail: ", text)
    | exnMessage exn =
        (case ExnMessage.find (exn, ! ExnMessage.others) of
           NONE => exnName exn
         | SOME text => text)

  val ! = !
  val op := = op :=
  fun a before () = a
  fun ignore _ = ()
  fun (f o g) x = f (g x)
end

open General
