(* datatype with withtype inside a structure, its parts seen through a signature. *)
signature JSON = sig
  datatype t = Null | Num of int | Arr of t list | Obj of (string * t) list
  type field = string * t
  val field : field -> t
  val show : t -> string
end
structure Json : JSON = struct
  datatype t = Null | Num of int | Arr of t list | Obj of field list
  withtype field = string * t
  fun field f = Obj [f]
  fun show Null = "null" | show (Num n) = Int.toString n
    | show (Arr l) = "[" ^ String.concatWith "," (map show l) ^ "]"
    | show (Obj fs) = "{" ^ String.concatWith "," (map (fn (k, v) => k ^ ":" ^ show v) fs) ^ "}"
end
val () = print (Json.show (Json.Arr [Json.Num 1, Json.Null, Json.field ("a", Json.Obj [("b", Json.Arr [])])]) ^ "\n")
