(* Sorts the suffixes of a text over four letters by prefix doubling (Manber and Myers, 1993). Argument: letters (200000). *)

fun suffixes text =
  let
    val n = Seq.length text
    fun double (ranks, width) =
      let
        fun rank i = if i < n then Seq.sub (ranks, i) + 1 else 0
        val keys =
          Seq.sort Int.compare
            (Seq.tabulate (n, fn i => ((rank i - 1) * (n + 1) + rank (i + width)) * n + i))
        fun differs k =
          if k > 0 andalso Seq.sub (keys, k) div n <> Seq.sub (keys, k - 1) div n then 1 else 0
        val sums = Delayed.force (Delayed.scanIncl op+ 0 (Delayed.tabulate (n, differs)))
      in
        if Seq.last sums = n - 1 then Seq.map (fn key => key mod n) keys
        else
          let val next = ForkJoin.alloc n
          in
            Seq.eachi (fn (k, key) => Array.update (next, key mod n, Seq.sub (sums, k))) keys;
            double (Seq.fromArray next, 2 * width)
          end
      end
  in
    double (text, 1)
  end

val () =
  Twin.main 200000 (fn n =>
    let val text = Seq.tabulate (n, fn i => Twin.below (8, i, 4))
    in
      (fn () => suffixes text, fn places => Twin.checksum (n, fn i => Twin.ofInt (Seq.sub (places, i))))
    end)
