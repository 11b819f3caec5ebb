(* Counts the words of a text in a table, and sorts them. Argument: words (1000000). *)

val () =
  Twin.main 1000000 (fn n =>
    let
      val text = Prose.text n
      fun count () =
        let val table = StringTable.table 10000
        in
          Seq.each (fn word => StringTable.count table (word, 1)) (ParText.words text);
          Seq.sort (fn ((v, _), (w, _)) => String.compare (v, w)) (StringTable.toSeq table)
        end
      fun word (w, count) = Twin.ofString w + Twin.ofInt count
    in
      (count, fn counts => Twin.checksum (Seq.length counts, fn i => word (Seq.sub (counts, i))))
    end)
