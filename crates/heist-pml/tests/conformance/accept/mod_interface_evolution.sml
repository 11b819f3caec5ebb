(* An implementation with a small and a large interface, which share state. *)
structure Impl = struct val log = ref ([] : string list) fun note s = log := s :: !log fun dump () = String.concatWith ";" (rev (!log)) fun clear () = log := [] end
structure Writer : sig val note : string -> unit end = Impl
structure Admin : sig val dump : unit -> string val clear : unit -> unit end = Impl
val () = (Writer.note "a"; Writer.note "b"; print (Admin.dump () ^ "\n"); Admin.clear (); Writer.note "c"; print (Impl.dump () ^ "\n"))
