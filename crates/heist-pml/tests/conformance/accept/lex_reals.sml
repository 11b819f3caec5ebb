(* Real literals. *)
val () = app (fn r => print (Real.toString r ^ "\n"))
  [0.0, 1.5, ~1.5, 1e3, 1E3, 1.25e~2, ~2E10, 123456789.0, 3.0e0, 12e~1, 0.1]
