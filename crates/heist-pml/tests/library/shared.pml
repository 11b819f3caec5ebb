(* The input is small in modes in which every allocation collects or every poll publishes, because the test would take seconds. *)
val n = if SIZE <= 5000 then Int.max (100, SIZE div 5) else SIZE
fun check (name, ok) = if ok then () else print (name ^ " ")
val name = Int.toString

(* Texts. *)
val text = ParText.concat (Seq.tabulate (n, fn i => name (i * 7919 mod 1009) ^ (if i mod 10 = 9 then "\n" else " ")))
val words = ParText.words text
val () = check ("words", Seq.toList words = String.tokens Char.isSpace text)
val () = check ("fields", Seq.toList (ParText.fields (fn c => c = #"1") text) = String.fields (fn c => c = #"1") text)
val () = check ("lines", Seq.toList (ParText.lines text) = String.tokens (fn c => c = #"\n") text)
val () = check ("ranges", Seq.all (fn (s, (i, k)) => s = String.substring (text, i, k)) (Seq.zip (words, ParText.tokenRanges Char.isSpace text)))
val () = check ("search", Seq.all (fn i => String.substring (text, i, 2) = "79") (ParText.search "79" text))
val () = check ("found", Seq.length (ParText.search "79" text) = Seq.count (fn i => String.sub (text, i) = #"7" andalso i + 1 < size text andalso String.sub (text, i + 1) = #"9") (Seq.range (0, size text - 1)))

(* Tables. *)
val table = StringTable.table 16
val () = Seq.each (fn w => StringTable.count table (w, 1)) words
val counts = Seq.sort (fn ((v, _), (w, _)) => String.compare (v, w)) (StringTable.toSeq table)
val expected = Seq.map (fn (w, ones) => (w, Seq.length ones)) (Seq.group String.compare (Seq.map (fn w => (w, 1)) words))
val () = check ("counts", Seq.toList counts = Seq.toList expected andalso StringTable.size table = Seq.length counts)
val lists : string list IntTable.table = IntTable.table 4
val () = Seq.eachi (fn (i, w) => IntTable.insertWith op@ lists (i mod 7, [w])) (Seq.take (words, Int.min (n, 300)))
val () = check ("lists", Seq.reduce op+ 0 (Seq.map (fn (_, ws) => length ws) (IntTable.toSeq lists)) = Int.min (n, 300))
val first = IntTable.table 100
val wins = Seq.count (fn i => IntTable.insert first (i mod 100, name i)) (Seq.range (0, n - 1))
val () = check ("insert", wins = 100 andalso Seq.all (fn (k, s) => valOf (Int.fromString s) mod 100 = k) (IntTable.toSeq first))
val set = StringSet.fromSeq words
val () = check ("set", StringSet.size set = Seq.length counts andalso StringSet.member set "0" andalso not (StringSet.member set "x"))

(* Graphs. *)
val edges = Seq.tabulate (3 * n, fn e => (e * 7919 mod n, (e * e + 17) mod n))
val g = Graph.fromEdges (n, edges)
val () = check ("symmetric", Seq.all (fn v => Graph.allNeighbours (g, v) (fn w => w <> v andalso not (Graph.allNeighbours (g, w) (fn u => u <> v)))) (Seq.range (0, Int.min (n, 200) - 1)))
val distances = Graph.distances (g, 0)
val parents = Graph.parents (g, 0)
fun fits (v, d) =
  let val p = Seq.sub (parents, v)
  in
    if v = 0 then d = 0 andalso p = 0
    else if d < 0 then p = ~1
    else Seq.sub (distances, p) = d - 1 andalso Graph.allNeighbours (g, v) (fn w => Seq.sub (distances, w) >= d - 1)
  end
val () = check ("distances", Seq.all fits (Seq.enumerate distances))
val () = check ("text", Graph.toString (Graph.fromString (Graph.toString g)) = Graph.toString g)
val up = Graph.filter (fn (v, w) => w > v) g
val () = check ("filter", 2 * Graph.arcs up = Graph.arcs g)
val () = check ("ends", (ignore (Graph.fromEdges (n, Seq.fromList [(0, n)])); false) handle Subscript => true)

(* Geometry. *)
val points = Seq.tabulate (n, fn i => (real (i * 7919 mod 10007) / 7.0, real (i * i * 31 mod 10009) / 7.0))
val hull = Geometry.hull points
val h = Seq.length hull
fun corner i = Seq.sub (points, Seq.sub (hull, i mod h))
val () = check ("hull", Seq.all (fn i => Geometry.turn (corner i, corner (i + 1), corner (i + 2)) = Geometry.LEFT) (Seq.range (0, h - 1)))
val () = check ("around", Seq.all (fn p => Seq.all (fn i => Geometry.turn (corner i, corner (i + 1), p) <> Geometry.RIGHT) (Seq.range (0, h - 1))) points)
val () = check ("exact", Geometry.turn ((0.5, Real.nextAfter (0.5, 1.0)), (12.0, 12.0), (24.0, 24.0)) = Geometry.LEFT andalso Geometry.turn ((0.1, 0.1), (0.2, 0.2), (0.7, 0.7)) = Geometry.STRAIGHT)
val () = check ("circle", not (Geometry.inCircle ((0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (1.0, 1.0))) andalso Geometry.inCircle ((0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (1.0, Real.nextAfter (1.0, 0.0))))
val () = print "done\n"
