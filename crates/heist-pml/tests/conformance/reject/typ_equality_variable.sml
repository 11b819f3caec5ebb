(* error: E0308 *)
fun member (x : ''a) l = List.exists (fn y => y = x) l
val b = member Math.sin [Math.cos]
