(* Mutable state in an interface: refs and arrays as members. *)
structure Config : sig val verbose : bool ref val level : int ref val slots : string array val describe : unit -> string end = struct
  val verbose = ref false val level = ref 1 val slots = Array.array (3, "-")
  fun describe () = (if !verbose then "verbose " else "quiet ") ^ Int.toString (!level) ^ " " ^ Array.foldr op ^ "" slots
end
val () = print (Config.describe () ^ "\n")
val () = (Config.verbose := true; Config.level := !Config.level + 4; Array.update (Config.slots, 1, "x"))
val () = print (Config.describe () ^ "\n")
