(* Counters, and a stack of cells onto which all strands push. *)
val n = 30000
val counter = ref 0
val counts = Array.array (10, 0)
val stack : (int * string) list ref = ref nil
fun push x =
  let
    val old = ! stack
    val new = (x, Int.toString x) :: old
  in
    if MLton.eq (Concurrency.cas stack (old, new), old) then () else push x
  end
val slots : int list array = Array.array (7, [])
fun cons (i, x) =
  let val old = Array.sub (slots, i)
  in if MLton.eq (MLton.Parallel.arrayCompareAndSwap (slots, i) (old, x :: old), old) then () else cons (i, x)
  end
val () =
  ForkJoin.parfor 1 (0, n) (fn i =>
    ( ignore (Concurrency.faa counter i)
    ; ignore (Concurrency.faaArray (counts, i mod 10) 1)
    ; push i
    ; cons (i mod 7, i) ))
val right = List.all (fn (x, s) => Int.toString x = s) (! stack)
val total = List.foldl (fn ((x, _), s) => x + s) 0 (! stack)
val cells = Array.foldl (fn (xs, k) => k + List.length xs) 0 slots
val real = ref 1.5
val was = Concurrency.cas real (1.5, 2.5)
val outside = (MLton.Parallel.arrayCompareAndSwap (slots, 7) ([], []); "no") handle Subscript => "Subscript"
(* A strand stores a value and still holds it. *)
fun twice i =
  let
    val mine = SOME i
    val cell = ref mine
    val found = Concurrency.cas cell (mine, SOME (i + 1))
  in
    MLton.eq (found, mine) andalso ! cell = SOME (i + 1)
  end
val all = ForkJoin.pareduce (0, n) true (fn (i, b) => b andalso twice i) (fn (a, b) => a andalso b)
val first =
  ForkJoin.pareduceBreak (0, 100000) 0 (fn (i, k) => if i * i > 5000 then (k, false) else (k + 1, true)) op+
val () =
  print (String.concatWith " "
    [ Int.toString (! counter), Int.toString (Array.foldl op+ 0 counts), Bool.toString right, Int.toString total
    , Int.toString cells, Real.toString was, Real.toString (! real), outside, Bool.toString all, Int.toString first ] ^ "\n")
