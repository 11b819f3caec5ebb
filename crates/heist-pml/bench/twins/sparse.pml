(* Multiplies a matrix in compressed rows by a vector, five times. Argument: rows (40000). *)

val () =
  Twin.main 40000 (fn n =>
    let
      val (before', entries) = Seq.scanTotal op+ 0 (Seq.tabulate (n, fn row => 1 + Twin.below (18, row, 100)))
      val starts = Seq.append (before', Seq.singleton entries)
      val columns = Seq.tabulate (entries, fn k => Twin.below (19, k, n))
      val values = Seq.tabulate (entries, fn k => Twin.unit (20, k))
      fun times vector =
        Seq.tabulate (n, fn row =>
          let
            val stop = Seq.sub (starts, row + 1)
            fun dot (k, sum) =
              if k = stop then sum
              else dot (k + 1, sum + Seq.sub (values, k) * Seq.sub (vector, Seq.sub (columns, k)))
          in
            dot (Seq.sub (starts, row), 0.0)
          end)
      fun again (0, vector) = vector
        | again (k, vector) = again (k - 1, times vector)
      val vector = Seq.tabulate (n, fn i => Twin.unit (21, i))
    in
      (fn () => again (5, vector), fn vector => Twin.checksum (n, fn i => Twin.ofReal (Seq.sub (vector, i))))
    end)
