(* Time: arithmetic and text; nothing that depends on the clock. *)
val t = Time.fromMilliseconds 1500 and u = Time.fromSeconds 2
val () = print (Time.toString (Time.+ (t, u)) ^ " " ^ Time.fmt 1 (Time.- (u, t)) ^ " " ^ LargeInt.toString (Time.toMilliseconds u) ^ " " ^ Bool.toString (Time.< (t, u)) ^ " " ^ Real.toString (Time.toReal t) ^ "\n")
val start = Time.now ()
val timer = Timer.startRealTimer ()
val () = print (Bool.toString (Time.>= (Time.now (), start) andalso Time.>= (Timer.checkRealTimer timer, Time.zeroTime)) ^ "\n")
