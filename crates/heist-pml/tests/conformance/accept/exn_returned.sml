(* Functions return exceptions whose handlers are one or a few calls away. *)

exception Neg of int
exception Big of string * real
exception Plain

fun say s = print (s ^ "\n")
val show = Int.toString

(* Results of all kinds. *)
fun half x = if x < 0.0 then raise Big ("half", x) else x / 2.0
fun quarter x = half (half x) + 0.0
fun three (x, y) = if x > y then raise Neg (x - y) else (x + y, real x * 1.5, show y)
fun four (x, y) = if x > y then raise Neg x else (x, y, x + y, x * y)
fun none x = if x = 7 then raise Plain else ()
val () = say (Real.fmt (StringCvt.FIX (SOME 3)) (quarter 10.0 handle Big _ => ~1.0))
val () = say (Real.fmt (StringCvt.FIX (SOME 3)) (quarter ~10.0 handle Big (s, x) => x * 2.0))
fun test x =
  let val (a, b, c) = three (x, 5) val (p, q, r, s) = four (x, 4)
  in say (show a ^ " " ^ Real.fmt (StringCvt.FIX (SOME 2)) b ^ " " ^ c ^ " " ^ show (p + q + r + s))
  end handle Neg n => say ("neg " ^ show n)
val () = List.app test [1, 5, 6, 4]
val () = List.app (fn x => (none x; say "none") handle Plain => say "seven") [6, 7, 8]

(* Through several functions, with work before and after the call. *)
fun f1 x = if x mod 3 = 0 then raise Neg x else x * 2
fun f2 x = let val y = f1 (x + 1) in if y > 100 then raise Big ("f2", real y) else y + 1 end
fun f3 (x, l) = let val y = f2 x in y :: l end
fun f4 (x, l) = List.rev (f3 (x, f3 (x + 1, l)))
fun all x = (String.concatWith "," (map show (f4 (x, [x])))) handle Neg n => "n" ^ show n | Big (s, r) => s ^ Real.fmt (StringCvt.FIX (SOME 0)) r
val () = say (String.concatWith " " (List.tabulate (8, all)))
val () = say (all 60)

(* Handlers that raise the same exception again, that raise another exception, and that do not match. *)
fun g1 x = f1 x handle Plain => 0
fun g2 x = g1 x handle Neg n => if n = 6 then raise Plain else n + 1000
fun g3 x = (g2 x handle e => (say "again"; raise e)) handle Plain => ~6
val () = say (String.concatWith " " (map (show o g3) [1, 3, 6, 9]))
fun inner x = (f1 x handle Neg n => f1 (n + 3)) handle Neg n => n * 100
val () = say (show (inner 3) ^ " " ^ show (inner 4))

(* Exceptions that the runtime raises. *)
val a = Array.fromList [1, 2, 3]
fun at i = Array.sub (a, i) + (if i = 2 then raise Plain else 0)
fun divide (x, y) = if y = 17 then raise Plain else x div y
fun plus (x, y) = if y = 17 then raise Plain else x + y
fun guarded f = f () handle Subscript => ~1 | Div => ~2 | Overflow => ~3 | Plain => ~4
val () = say (String.concatWith " " (map (fn i => show (guarded (fn () => at i))) [0, 1, 2, 3, ~1]))
fun safe (x, y) = divide (x, y) handle Div => ~2 | Plain => ~4
val () = say (String.concatWith " " (map (fn y => show (safe (100, y))) [7, 0, 17]))
val most = valOf Int.maxInt
fun sum (x, y) = plus (x, y) handle Overflow => ~3 | Plain => ~4
val () = say (String.concatWith " " (map (fn y => show (sum (most, y))) [0, 1, 17]))

(* Tail calls of the function itself, of other functions, and of unknown functions. *)
fun count (0, s) = if s mod 2 = 1 then raise Neg s else s
  | count (n, s) = count (n - 1, s + n)
fun even 0 = "even"
  | even n = if n < 0 then raise Neg n else odd (n - 1)
and odd 0 = "odd"
  | odd n = if n < 0 then raise Neg n else even (n - 1)
fun unknown (k, x) = if x = 0 then raise Plain else k x
val () = say (show (count (1000000, 0) handle Neg n => ~1) ^ " " ^ show (count (1000001, 0) handle Neg n => ~n))
val () = say ((even 1000001 handle Neg n => show n) ^ " " ^ (even ~1 handle Neg n => show n))
val () = say (show (unknown (fn x => x + 1, 4) handle Plain => 0) ^ " " ^ show (unknown (f1, 3) handle Plain => 0 | Neg n => ~n))
fun step (k, 0) = 0
  | step (k, n) = if n = 13 then raise Plain else k (n - 1)
fun loop n = step (loop, n)
val () = say (show (loop 12) ^ " " ^ show (loop 20 handle Plain => 13))

(* Curried functions, and recursion with handlers on the path. *)
fun search p nil = raise Plain
  | search p (x :: rest) = if p x then x else search p rest
fun find p l d = search p l handle Plain => d
val () = say (show (find (fn x => x > 2) [1, 2, 3, 4] 0) ^ " " ^ show (find (fn x => x > 9) [1, 2, 3, 4] 0))
fun change (nil, 0) = nil
  | change (nil, _) = raise Plain
  | change (coin :: coins, amount) =
      if coin > amount then change (coins, amount)
      else coin :: change (coin :: coins, amount - coin) handle Plain => change (coins, amount)
val () = say (String.concatWith "+" (map show (change ([5, 2], 16))))
val () = say (String.concatWith "+" (map show (change ([7, 5], 13))) handle Plain => "none")

(* Calls with and without a handler around them. *)
val total = ref 0
fun both x = if x > 1000 then raise Neg x else (total := ! total + x; x)
fun often n = if n = 0 then 0 else both n + often (n - 1)
val () = say (show (often 1000) ^ " " ^ show (often 1002 handle Neg n => n) ^ " " ^ show (! total))
val () = say (show (both 3))

(* Much garbage, so that frames move under returned exceptions. *)
fun grow (n, l) = if n = 0 then (if length l > 50 then raise Big (show (length l), 1.0) else l) else grow (n - 1, show n :: l)
fun many (0, s) = s
  | many (k, s) = many (k - 1, s + (length (grow (k mod 100, [])) handle Big (t, _) => 1000 + size t))
val () = say (show (many (20000, 0)))
