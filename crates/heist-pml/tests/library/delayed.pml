val n = SIZE
fun check (name, ok) = if ok then () else print (name ^ " ")
fun ints (a, b) = Seq.equal (op = : int * int -> bool) (a, b)
fun strings (a, b) = Seq.equal (op = : string * string -> bool) (a, b)
val d = Delayed.tabulate (n, fn i => i * 31 mod 17)
val a = Delayed.force d
val name = Int.toString
val () = check ("scan", ints (Delayed.force (Delayed.scan op+ 0 d), scanP op+ 0 a))
val () = check ("scanIncl", ints (Delayed.force (Delayed.scanIncl op+ 0 d), Seq.scanIncl op+ 0 a))
val () = check ("scanTotal", #2 (Delayed.scanTotal op+ 0 d) = sumP a)
val few = Delayed.filter (fn x => x mod 3 = 1) d
val few' = filterP (fn x => x mod 3 = 1) a
val () = check ("filter", ints (Delayed.force few, few') andalso Delayed.length few = lengthP few')
val () = check ("filter, map", strings (Delayed.force (Delayed.map name few), mapP name few'))
val texts = Delayed.filter (fn s => size s = 1) (Delayed.map name d)
val () = check ("filter of strings", strings (Delayed.force texts, filterP (fn s => size s = 1) (mapP name a)))
val () = check ("mapi", Delayed.reduce op+ 0 (Delayed.mapi op* few) = sumP (PArray.mapi op* few'))
val rows = Delayed.flatten (Delayed.map (fn x => Seq.tabulate (x mod 4, fn k => name (x + k))) d)
val rows' = Seq.flatten (mapP (fn x => Seq.tabulate (x mod 4, fn k => name (x + k))) a)
val () = check ("flatten", strings (Delayed.force rows, rows'))
val () = check ("zip of streams", Delayed.reduce op+ 0 (Delayed.zipWith (fn (s, x) => size s * x) (rows, few)) = sumP (Seq.zipWith (fn (s, x) => size s * x) (rows', few')))
val () = check ("zip of scans", ints (Delayed.force (Delayed.zipWith op- (Delayed.scanIncl op+ 0 d, Delayed.scan op+ 0 d)), a))
val () = check ("scan of a filter", ints (Delayed.force (Delayed.scan op+ 0 few), scanP op+ 0 few'))
val () = check ("rev, append", ints (Delayed.force (Delayed.append (Delayed.rev few, d)), Seq.append (Seq.rev few', a)))
val () = check ("take, drop", ints (Delayed.force (Delayed.take (Delayed.drop (few, 2), 3)), Seq.subseq (few', 2, 3)))
val () = check ("drop", (ignore (Delayed.drop (d, n + 1)); false) handle Subscript => true)
val seen = ref 0
val () = Delayed.each (fn x => ignore (Concurrency.faa seen x)) (Delayed.scan op+ 0 (Delayed.map (fn _ => 1) d))
val () = check ("each", ! seen = n * (n - 1) div 2)
val none = Delayed.filter (fn _ => false) d
val () = check ("empty", Delayed.length none = 0 andalso lengthP (Delayed.force none) = 0 andalso Delayed.reduce op+ 7 none = 7 andalso #2 (Delayed.scanTotal op+ 0 none) = 0)
(* A part that fails cancels the other parts. *)
exception At of int
val () = check ("exception", (Delayed.eachi (fn (i, x) => if i >= 7 then raise At i else ()) (Delayed.scan op+ 0 d); false) handle At 7 => true)
val () = print "done\n"
