(* Finds the lines of a text that contain "ab". Argument: lines (300000). *)

val () =
  Twin.main 300000 (fn n =>
    let
      val text = Prose.text (10 * n)
      fun grep () =
        Seq.map (fn (first, length) => String.substring (text, first, length))
          (Seq.filter (fn (first, length) => ParText.occursIn "ab" (text, first, length)) (ParText.lineRanges text))
    in
      (grep, fn lines => Twin.checksum (Seq.length lines, fn i => Twin.ofString (Seq.sub (lines, i))))
    end)
