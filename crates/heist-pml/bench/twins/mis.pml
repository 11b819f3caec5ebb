(* Finds the maximal independent set of a random order (Blelloch, Fineman, Shun, SPAA 2012). Argument: vertices (200000). *)

val (free, chosen, leftOut) = (0, 1, 2)

fun independent (graph, order) =
  let
    val n = Graph.vertices graph
    val states = Array.array (n, free)
    fun isFree v = Array.sub (states, v) = free
    fun isBefore (v, w) =
      let val (a, b) = (Seq.sub (order, v), Seq.sub (order, w))
      in a < (b : int) orelse a = b andalso v < w
      end
    fun isFirst v = Graph.allNeighbours (graph, v) (fn w => not (isFree w) orelse isBefore (v, w))
    fun choose v =
      (Array.update (states, v, chosen);
       Graph.foldNeighbours (graph, v) (fn (w, ()) => Array.update (states, w, leftOut)) ())
    fun rounds vertices =
      if Seq.isEmpty vertices then ()
      else (Seq.each choose (Seq.filter isFirst vertices); rounds (Seq.filter isFree vertices))
  in
    rounds (Seq.range (0, n - 1));
    Seq.fromArray states
  end

val () =
  Twin.main 200000 (fn n =>
    let
      val graph = Network.graph n
      val order = Seq.tabulate (n, fn v => Word.toInt (Word.>> (Twin.word (11, v), 0w1)))
    in
      ( fn () => independent (graph, order)
      , fn states => Twin.checksum (n, fn v => if Seq.sub (states, v) = chosen then 0w1 else 0w0) )
    end)
