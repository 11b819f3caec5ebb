(* Texts of made-up words. The first words of the vocabulary are the most frequent. *)
structure Prose :
sig
  (* Returns a text with this number of words, ten words on a line. *)
  val text : int -> string
end =
struct
  val vocabulary = 5000

  fun letters rank =
    let
      val bits = Twin.word (4, rank)
      fun letter k = chr (97 + Word.toInt (Word.andb (Word.>> (bits, Word.fromInt (5 * k)), 0w31)) mod 26)
    in
      CharVector.tabulate (2 + Twin.below (5, rank, 8), letter)
    end

  fun text n =
    let
      val spaced = PArray.tabulate (vocabulary, fn rank => letters rank ^ " ")
      val ending = PArray.tabulate (vocabulary, fn rank => letters rank ^ "\n")
      fun word i =
        PArray.sub (if i mod 10 = 9 then ending else spaced, Twin.below (6, i, Twin.below (7, i, vocabulary) + 1))
    in
      ParText.concat (PArray.tabulate (n, word))
    end
end
