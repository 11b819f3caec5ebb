(* The collector moves elements that the program has not written yet: elements of arrays that are not full, and elements that the program
   never reads. *)
datatype shape = Circle of real | Box of {w : real, h : real}
datatype 'a log = Log of {data : (int * 'a) array, size : int}
datatype colour = Red | Green | Blue

fun grow a =
  let val b = ForkJoin.alloc (2 * Array.length a)
  in Array.copy {src = a, dst = b, di = 0}; b
  end
fun moved n = Array.tabulate (n, let val a = ForkJoin.alloc n in fn i => Array.sub (a, i) end)

val pairs : (int * string) array = grow (ForkJoin.alloc 1000)
val nested : ((string * real) * (int * int list)) array = moved 1000
val records : {name : string, size : int ref} array = moved 500
val shapes : shape array = moved 500
val logs : string log array = moved 500
val colours : colour array = moved 500
val numbers : IntInf.int array = moved 500
val functions : (int -> int) array = grow (ForkJoin.alloc 500)
val lists : string list array = ForkJoin.alloc 2000
val () = ForkJoin.parfor 1 (0, 1000) (fn i => Array.update (lists, 1000 + i, Array.sub (lists, i)))

(* A list of versions. It keeps the previous element, although the program has never written one. *)
val versions : (int * (string * int)) list ref = ref nil
val cells : (string * int) array = ForkJoin.alloc 100
fun put (i, x) = (versions := (i, Array.sub (cells, i)) :: ! versions; Array.update (cells, i, x))
val () = List.app put (List.tabulate (100, fn i => (i, (Int.toString i, i))))

(* A collection visits all of them. *)
fun churn n = if n = 0 then nil else Int.toString n :: churn (n - 1)
val (a, b) = ForkJoin.par (fn () => length (churn 400000), fn () => length (churn 400000))
val () = Array.update (pairs, 7, (1, "one"))
val () = Array.update (nested, 7, (("two", 2.0), (2, [2])))
val () = Array.update (logs, 7, Log {data = Array.fromList [(3, "three")], size = 1})
val () = Array.update (shapes, 7, Box {w = 4.0, h = 1.0})
fun sizes () =
  [ Array.length pairs, Array.length nested, Array.length records, Array.length shapes, Array.length logs
  , Array.length colours, Array.length numbers, Array.length functions, Array.length lists, length (! versions) ]
val () = print (Int.toString (a + b + List.foldl op+ 0 (sizes ())) ^ " ")
val Log {data, ...} = Array.sub (logs, 7)
val area = case Array.sub (shapes, 7) of Circle r => r | Box {w, h} => w * h
val () =
  print
    (concat
       [ #2 (Array.sub (pairs, 7)), " ", #1 (#1 (Array.sub (nested, 7))), " ", #2 (Array.sub (data, 0)), " "
       , Real.toString area, " ", #1 (Array.sub (cells, 42)), "\n" ])
