(* Datatypes that hold references have equality whatever they refer to. *)
datatype fn_cell = Cell of (int -> int) ref * int
val r = ref (fn x => x)
val a : fn_cell = Cell (r, 1)
val b : fn_cell = Cell (r, 1)
val c : fn_cell = Cell (ref (fn x => x), 1)
val () = print (Bool.toString (a = b) ^ " " ^ Bool.toString (a = c) ^ " " ^ Bool.toString (a = Cell (r, 2)) ^ "\n")
