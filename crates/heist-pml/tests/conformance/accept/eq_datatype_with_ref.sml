(* A datatype that holds references has equality, even if the referenced type does not. *)
datatype fn_cell = Cell of (int -> int) ref * int
val r = ref (fn x => x)
val a : fn_cell = Cell (r, 1)
val b : fn_cell = Cell (r, 1)
val c : fn_cell = Cell (ref (fn x => x), 1)
val () = print (Bool.toString (a = b) ^ " " ^ Bool.toString (a = c) ^ " " ^ Bool.toString (a = Cell (r, 2)) ^ "\n")
