(* Effects of top-level declarations happen in order, across structures and functors. *)
val log = ref ([] : string list)
fun note s = log := s :: !log
val () = note "a"
structure S = struct val () = note "b" val x = (note "c"; 1) end
functor F (val n : int) = struct val () = note ("f" ^ Int.toString n) end
val y = (note "d"; S.x)
structure A = F (val n = (note "arg"; y))
local val () = note "e" in val () = note "g" end
val () = print (String.concatWith "," (rev (!log)) ^ "\n")
