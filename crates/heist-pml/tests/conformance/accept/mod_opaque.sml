(* Opaque ascription makes new types. Only the functions of the interface make and use their values. *)
signature MONEY = sig
  type t
  val cents : int -> t
  val plus : t * t -> t
  val show : t -> string
end
structure Euro :> MONEY = struct
  type t = int
  fun cents n = n
  fun plus (a, b) = a + b
  fun show n = Int.toString (n div 100) ^ "." ^ StringCvt.padLeft #"0" 2 (Int.toString (n mod 100))
end
structure Mark :> MONEY = Euro
val total = foldl Euro.plus (Euro.cents 0) (map Euro.cents [199, 250, 1])
val () = print (Euro.show total ^ " " ^ Mark.show (Mark.cents 5) ^ "\n")
