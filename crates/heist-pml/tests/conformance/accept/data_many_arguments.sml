(* Constructors with records, tuples, functions and reals as arguments. *)
datatype item = Point of real * real | Label of {text : string, at : real * real, size : int} | Action of string * (int -> int) | Group of item list * bool | Empty
fun area (Point _) = 0.0 | area (Label {size, at = (x, _), ...}) = real size * x | area (Action (_, f)) = real (f 3) | area (Group (l, true)) = foldl (fn (i, s) => area i + s) 0.0 l | area (Group (_, false)) = ~1.0 | area Empty = 100.0
val items = [Point (1.0, 2.0), Label {at = (0.5, 9.0), size = 4, text = "t"}, Action ("double", fn n => n * 2), Group ([Empty, Point (0.0, 0.0), Group ([], true)], true), Group ([Empty], false)]
val () = print (String.concatWith " " (map (Real.toString o area) items) ^ "\n")
val moved = map (fn Point (x, y) => Point (y, x) | Label (r as {text, ...}) => Label {text = text ^ "!", at = #at r, size = #size r + 1} | i => i) items
val () = print (case moved of Point (a, _) :: Label {text, size, ...} :: _ => Real.toString a ^ text ^ Int.toString size ^ "\n" | _ => "?\n")
