(* The input is small in modes in which every allocation collects or every poll publishes, because the test would take seconds. *)
val n = if SIZE <= 5000 then Int.max (100, SIZE div 5) else SIZE
fun check (name, ok) = if ok then () else print (name ^ " ")
fun mixed i = (i * 7919 + 13) mod 10007
fun same f (a, b) = Seq.equal f (a, b)
val ints = same (op = : int * int -> bool)
val strings = same (op = : string * string -> bool)
val a = Seq.tabulate (n, mixed)
val names = Seq.map Int.toString a

(* Sorting, of numbers, strings and pairs. *)
val sorted = Seq.sort Int.compare a
val () = check ("sorted", Seq.isSorted Int.compare sorted)
(* Halves that are already in order are copied. *)
val rising = Seq.tabulate (n, fn i => i)
val () = check ("rising", ints (Seq.sort Int.compare rising, rising))
val () = check ("sorted twice", ints (Seq.sort Int.compare sorted, sorted))
val () = check ("permuted", sumP sorted = sumP a andalso Seq.length sorted = n)
val byName = Seq.sort String.compare names
val () = check ("strings", Seq.isSorted String.compare byName andalso ints (Seq.sort Int.compare (Seq.map (valOf o Int.fromString) byName), sorted))
val pairs = Seq.sort (fn ((x, _), (y, _)) => String.compare (x, y)) (Seq.mapi (fn (i, x) => (Int.toString (x mod 10), i)) a)
val () = check ("stable", Seq.isSorted (fn ((x, i), (y, j)) => case String.compare (x, y) of EQUAL => Int.compare (i, j) | other => other) pairs)
val () = check ("merge", strings (Seq.merge String.compare (byName, byName), Seq.flatten (Seq.map (fn s => Seq.fromList [s, s]) byName)))
val () = check ("unique", Seq.all (fn (i, x) => x = Int.toString i) (Seq.enumerate (Seq.unique String.compare (Seq.map (fn (x, _) => x) pairs))))

(* Prefixes. *)
val (before', all) = Seq.scanTotal op+ 0 a
val () = check ("scanTotal", all = sumP a andalso ints (before', scanP op+ 0 a))
val () = check ("scanIncl", ints (Seq.zipWith op+ (before', a), Seq.scanIncl op+ 0 a))
val longest = Seq.scanIncl (fn (s, t) => if size t > size s then t else s) "" names
val () = check ("scan of strings", size (Seq.last longest) = Seq.reduce Int.max 0 (Seq.map size names))

(* Selections. *)
val (even, odd) = Seq.partition (fn x => x mod 2 = 0) a
val () = check ("partition", ints (even, filterP (fn x => x mod 2 = 0) a) andalso ints (odd, filterP (fn x => x mod 2 = 1) a))
val many = Seq.mapMany (fn (x, emit) => List.app emit (List.tabulate (x mod 4, fn k => Int.toString (x + k)))) a
val () = check ("mapMany", strings (many, Seq.flatten (Seq.map (fn x => Seq.tabulate (x mod 4, fn k => Int.toString (x + k))) a)))
val () = check ("mapPartial", strings (Seq.mapPartial (fn x => if x mod 3 = 0 then SOME (Int.toString x) else NONE) a, Seq.map Int.toString (filterP (fn x => x mod 3 = 0) a)))
val at = n * 2 div 3
val () = check ("findi", case Seq.findi (fn (i, _) => i >= at) a of SOME (i, x) => i = at andalso x = mixed at | NONE => false)
val () = check ("find", not (isSome (Seq.find (fn x => x < 0) a)))
val most = Seq.argMax Int.compare a
val () = check ("argMax", Seq.all (fn (i, x) => x < Seq.sub (a, most) orelse x = Seq.sub (a, most) andalso i >= most) (Seq.enumerate a))
val () = check ("count", Seq.count (fn x => x mod 2 = 0) a = Seq.length even)

(* Parts. *)
val () = check ("parts", ints (Seq.append (Seq.take (a, at), Seq.drop (a, at)), a))
val () = check ("subseq", (ignore (Seq.subseq (a, 1, n)); false) handle Subscript => true)
val () = check ("update", Seq.sub (Seq.update (names, at, "x"), at) = "x")
val () = check ("inject", strings (Seq.inject (names, Seq.flatten (Seq.map (fn s => Seq.enumerate (Seq.tabulate (n, fn i => s ^ Int.toString (mixed i)))) (Seq.fromList ["a", ""]))), names))

(* Groups. *)
val counts = Seq.histogram (10, Seq.map (fn x => x mod 10) a)
val () = check ("histogram", sumP counts = n)
val groups = Seq.group String.compare (Seq.map (fn x => (Int.toString (x mod 10), x)) a)
val () = check ("group", Seq.all (fn (k, (name, xs)) => name = Int.toString k andalso ints (xs, filterP (fn x => x mod 10 = k) a) andalso Seq.length xs = Seq.sub (counts, k)) (Seq.enumerate groups))
val sums = Seq.groupReduce Int.compare op^ (Seq.map (fn x => (x mod 3, Int.toString (x mod 7))) (Seq.take (a, Int.min (n, 1000))))
val () = check ("groupReduce", Seq.all (fn (k, s) => s = String.concat (Seq.toList (Seq.map (fn x => Int.toString (x mod 7)) (filterP (fn x => x mod 3 = k) (Seq.take (a, Int.min (n, 1000))))))) sums)

(* Empty sequences. *)
val none : string Seq.seq = Seq.empty ()
val () = check ("empty", Seq.isEmpty (Seq.sort String.compare none) andalso Seq.isEmpty (Seq.group String.compare (Seq.zip (none, none))) andalso Seq.isEmpty (Seq.histogram (0, Seq.empty ())) andalso Seq.isEmpty (Seq.merge String.compare (none, none)) andalso Seq.isSorted String.compare none)
val () = print "done\n"
