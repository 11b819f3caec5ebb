(* Prefix operators behind other symbols, real literals in patterns, and equality of floats and doubles. *)
val l = 3::~1::nil
val r = ref 2
fun say n = Print.printLn (Int.toString n)
val () = say (hd (tl l))
val () = say (1-~1)
val () = say (1+ ~(!r))
val () = r:=~4
val () = say (~4*(!r))
val b = ~4=(!r)
val () = Print.printLn (Bool.toString b)
val pair = (7, "seven")
val seven =#1 pair
val () = say seven
fun below (x, f) = if x<~1 then f x else x
val () = say (below (~5, fn x =>~x))
datatype sign = Below | Zero | Above
fun sign n = case n of 0 => Zero |~1=>Below | _ => if n < 0 then Below else Above
val () = Print.printLn (case (sign ~1, sign 0, sign 5) of (Below, Zero, Above) => "signs" | _ => "wrong")
(* The two zeros are equal, and NaN equals nothing. *)
fun name (x : double) = case x of 0.0 => "zero" |~1.5 => "minus" | 2.5 => "two and a half" | _ => "other"
val nan = 0.0 / 0.0
val () = app (fn x => Print.printLn (name x)) [0.0, ~0.0, ~1.5, 2.5, 3.0, nan]
(* The same for floats. *)
fun number (0.1 : float) = 1
  | number 2.0 =~2
  | number x = if x = 0.5 then 3 else 4
val () = app (fn x => say (number x)) [0.1, 2.0, 0.5, 0.7]
val half : float = 0.5
val () = app (fn b => Print.printLn (Bool.toString b))
  [half = Float.fromDouble 0.5, half <> 0.5, nan = nan, nan <> nan, (1.5, "a") = (1.5, "a"), [half] = [0.25]]
fun member (x, l) = List.exists (fn y => x = y) l
val () = Print.printLn (Bool.toString (member (2.5, [1.0, 2.5])))
datatype shape = Circle of double | Point
val () = Print.printLn (Bool.toString (Circle 1.0 = Circle 1.0) ^ " " ^ Bool.toString (Circle 1.0 = Point))
