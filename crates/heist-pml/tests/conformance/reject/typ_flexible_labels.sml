(* error: E0302 *)
(* The labels of a record are the same in all uses, even where its fields have different types. *)
val pick = #key
val a = pick {key = 1, other = true}
val b = pick {key = "one", different = 2}
