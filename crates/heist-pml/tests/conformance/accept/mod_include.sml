(* include combines the specifications of signatures. *)
signature EQ = sig type t val eq : t * t -> bool end
signature SHOW = sig type s val show : s -> string end
signature ORD = sig include EQ val less : t * t -> bool end
signature ALL = sig include ORD SHOW sharing type t = s val default : t end
structure I : ALL = struct
  type t = int type s = int
  val eq = op = fun less (a : int, b) = a < b
  val show = Int.toString
  val default = 7
end
fun max (a, b) = if I.less (a, b) then b else a
val () = print (I.show (max (I.default, 3)) ^ Bool.toString (I.eq (1, 1)) ^ "\n")
