(* Alternatives in patterns: `(p | q)`. *)
datatype shape = Circle of int | Square of int | Rect of int * int | Dot

fun side (Circle n | Square n) = n
  | side (Rect (0, n) | Rect (n, _)) = n
  | side Dot = 0
val () = print (String.concatWith " " (map (Int.toString o side) [Circle 1, Square 2, Rect (0, 3), Rect (4, 9), Dot]) ^ "\n")

(* Alternatives at several places, and within each other. *)
fun kind (0 | 1 | 2, (#"a" | #"b")) = "small"
  | kind (n as (3 | 4), c as (#"a" | #"c" | #"z")) = Int.toString n ^ str c
  | kind _ = "other"
val () = print (String.concatWith " " (map kind [(0, #"a"), (2, #"b"), (2, #"c"), (3, #"z"), (4, #"c"), (4, #"b")]) ^ "\n")
fun deep (SOME (SOME (1 | 2) | NONE) | NONE) = true | deep _ = false
val () = print (String.concatWith " " (map (Bool.toString o deep) [SOME (SOME 1), SOME (SOME 3), SOME NONE, NONE]) ^ "\n")

(* The first alternative that matches binds the variables. *)
fun first ((x, 0) | (0, x) | (_, x)) = x
val () = print (String.concatWith " " (map (Int.toString o first) [(5, 0), (0, 6), (7, 8), (0, 0)]) ^ "\n")

(* Records of records, strings, words, large numbers, exceptions. *)
fun where' ({at = {x, ...}, name = ("a" | "bb")} | {name = _, at = {y = x, ...}}) = x : int
val () = print (Int.toString (where' {at = {x = 1, y = 2}, name = "bb"} + 10 * where' {at = {x = 3, y = 4}, name = "c"}) ^ "\n")
fun large (0xffffffffffffffffffff | ~1 : IntInf.int) = "edge" | large _ = "no"
val () = print (large (IntInf.pow (2, 80) - 1) ^ large ~1 ^ large 0 ^ "\n")
exception A of int
exception B of int
exception C
fun code f = f () handle (A n | B n) => n | (C | Div) => ~1
val () =
  print (String.concatWith " " (map (Int.toString o code)
    [fn () => raise A 1, fn () => raise B 2, fn () => raise C, fn () => 1 div 0, fn () => 9]) ^ "\n")

(* Bindings, including polymorphic bindings and bindings that fail. *)
datatype ('a, 'b) either = L of 'a | R of 'b
val (L same | R same) = if true then L (fn x => x) else R (fn x => x)
val (L list | R (_, list)) = R (1, [])
val () = print (Int.toString (same (length (1 :: list)) + length ("a" :: list)) ^ "\n")
val () = (let val (1 | 2, x) = (3, "no") in print x end) handle Bind => print "Bind\n"
val () = print ((fn ("x" | "y") => "letter\n" | _ => "word\n") "y")

(* More alternatives than a decision tree should copy. *)
fun many (0 | 2 | 4 | 6 | 8 | 10, 1 | 3 | 5 | 7 | 9, (#"a" | #"e" | #"i" | #"o" | #"u")) = 1
  | many (n, m, (#"x" | #"y")) = n * m
  | many (n, (0 | 1), c) = n + ord c
  | many _ = 0
val () = print (String.concatWith " " (map (Int.toString o many) [(4, 7, #"i"), (3, 7, #"y"), (3, 1, #"A"), (3, 2, #"A"), (4, 1, #"b")]) ^ "\n")
val rec odd = fn (1 | 3 | 5) => true | (0 | 2 | 4) => false | n => odd (n - 2)
val () = print (Bool.toString (odd 7) ^ " " ^ Bool.toString (odd 8) ^ "\n")
