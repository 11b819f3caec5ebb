(* Multiplies two square matrices. The second matrix is stored by columns. Argument: rows (400). *)

val () =
  Twin.main 400 (fn n =>
    let
      fun matrix seed = PArray.tab2D (n, n, fn (i, j) => Twin.unit (seed, i * n + j))
      val (rows, columns) = (matrix 16, matrix 17)
      fun product (row, column) =
        let
          fun dot (k, sum) = if k = n then sum else dot (k + 1, sum + Seq.sub (row, k) * Seq.sub (column, k))
        in
          dot (0, 0.0)
        end
    in
      ( fn () => Seq.map (fn row => Seq.map (fn column => product (row, column)) columns) rows
      , fn result => Twin.checksum (n * n, fn i => Twin.ofReal (Seq.sub (Seq.sub (result, i div n), i mod n))) )
    end)
