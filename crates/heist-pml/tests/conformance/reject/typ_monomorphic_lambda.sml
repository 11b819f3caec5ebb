(* error: E0302 *)
fun pair f = (f 1, f "one")
val p = (fn id => (id 1, id true)) (fn x => x)
