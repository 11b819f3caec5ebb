(* Sorts words of up to twelve letters. Argument: words (300000). *)

fun letters i =
  let
    val bits = Twin.word (2, i)
    fun letter k = chr (97 + Word.toInt (Word.andb (Word.>> (bits, Word.fromInt (5 * k)), 0w31)) mod 26)
  in
    CharVector.tabulate (1 + Twin.below (1, i, 12), letter)
  end

val () =
  Twin.main 300000 (fn n =>
    let val words = PArray.tabulate (n, letters)
    in
      ( fn () => Seq.sort String.compare words
      , fn sorted => Twin.checksum (n, fn i => Twin.ofString (PArray.sub (sorted, i))) )
    end)
