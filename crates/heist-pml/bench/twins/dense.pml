(* Multiplies two square matrices, the second of which is there by columns. Argument: rows (400). *)

val () =
  Twin.main 400 (fn n =>
    let
      val rows = Seq.tabulate (n * n, fn i => Twin.unit (16, i))
      val columns = Seq.tabulate (n * n, fn i => Twin.unit (17, i))
      fun element i =
        let
          val (row, column) = (i div n * n, i mod n * n)
          fun dot (k, sum) =
            if k = n then sum
            else dot (k + 1, sum + Seq.sub (rows, row + k) * Seq.sub (columns, column + k))
        in
          dot (0, 0.0)
        end
    in
      ( fn () => Seq.tabulate (n * n, element)
      , fn product => Twin.checksum (n * n, fn i => Twin.ofReal (Seq.sub (product, i))) )
    end)
