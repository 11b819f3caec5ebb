(* Adds two numbers of many words. The carries are a scan over the effect of each digit on a carry: 0 stops the carry, 1 makes a carry,
   and 2 passes the carry on. Argument: words (2000000). *)

val () =
  Twin.main 2000000 (fn n =>
    let
      (* Most words of one number are the complements of the other number's words, so that carries go far. *)
      val a = PArray.tabulate (n, fn i => Twin.word (1, i))
      val b = PArray.tabulate (n, fn i => if i mod 64 > 0 then Word.notb (Twin.word (1, i)) else Twin.word (2, i))
      fun add () =
        let
          fun effect (x, y) =
            let val sum = x + y
            in if sum < x then 1 else if Word.notb sum = 0w0 then 2 else 0
            end
          val carries = Seq.scan (fn (x, y) => if y = 2 then x else y) 2 (Seq.zipWith effect (a, b))
        in
          Seq.tabulate (n, fn i => Seq.sub (a, i) + Seq.sub (b, i) + (if Seq.sub (carries, i) = 1 then 0w1 else 0w0))
        end
    in
      (add, fn sum => Twin.checksum (n, fn i => PArray.sub (sum, i)))
    end)
