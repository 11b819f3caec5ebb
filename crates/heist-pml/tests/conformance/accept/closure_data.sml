(* Functions in data structures: a small object system and a dispatcher. *)
datatype shape = Shape of {area : unit -> real, scale : real -> shape, name : string}
fun circle r = Shape {area = fn () => 3.0 * r * r, scale = fn k => circle (k * r), name = "circle"}
fun square a = Shape {area = fn () => a * a, scale = fn k => square (k * a), name = "square"}
fun show (Shape s) = #name s ^ " " ^ Real.toString (#area s ())
val shapes = [circle 1.0, square 2.0]
val bigger = map (fn Shape s => #scale s 2.0) shapes
val () = app (fn s => print (show s ^ "\n")) (shapes @ bigger)
val ops = [("add", op +), ("sub", op -), ("mul", op * )]
fun calc name (a, b) = case List.find (fn (n, _) => n = name) ops of SOME (_, f) => f (a, b) | NONE => raise Fail ("no " ^ name)
val () = print (Int.toString (calc "mul" (6, 7) + calc "sub" (1, 2)) ^ ((Int.toString (calc "div" (1, 1))) handle Fail m => m) ^ "\n")
