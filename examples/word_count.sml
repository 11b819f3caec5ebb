(* Counts how often each word of a text occurs, in a growing hash table with chains, and prints the most frequent words.
   Arguments: words of a made-up text (300000), or the name of a file. *)

type 'a table = {size : int ref, chains : (string * 'a ref) list array ref}

fun table () : 'a table = {size = ref 0, chains = ref (Array.array (64, []))}

fun hash s =
  let
    val n = size s
    fun go (i, h) =
      if i = n then h else go (i + 1, (h * 31 + ord (String.sub (s, i))) mod 1073741823)
  in
    go (0, 7)
  end

fun find (word, chain : (string * 'a ref) list) =
  case chain of
      [] => NONE
    | (other, cell) :: rest => if other = word then SOME cell else find (word, rest)

fun grow ({chains, ...} : 'a table) =
  let
    val n = 2 * Array.length (!chains)
    val bigger = Array.array (n, [])
    fun move (entry as (word, _)) =
      let
        val i = hash word mod n
      in
        Array.update (bigger, i, entry :: Array.sub (bigger, i))
      end
  in
    Array.app (app move) (!chains);
    chains := bigger
  end

fun cell (table as {size, chains} : 'a table, word, initial) =
  let
    val i = hash word mod Array.length (!chains)
  in
    case find (word, Array.sub (!chains, i)) of
        SOME cell => cell
      | NONE =>
          let
            val cell = ref initial
          in
            Array.update (!chains, i, (word, cell) :: Array.sub (!chains, i));
            size := !size + 1;
            if !size > 2 * Array.length (!chains) then grow table else ();
            cell
          end
  end

fun entries ({chains, ...} : 'a table) = Array.foldl (fn (chain, all) => chain @ all) [] (!chains)

fun sort less entries =
  let
    fun merge ([], ys) = ys
      | merge (xs, []) = xs
      | merge (xs as x :: xs', ys as y :: ys') =
          if less (y, x) then y :: merge (xs, ys') else x :: merge (xs', ys)
    fun split ([], a, b) = (a, b)
      | split (x :: rest, a, b) = split (rest, x :: b, a)
    fun go [] = []
      | go [x] = [x]
      | go xs = let val (a, b) = split (xs, [], []) in merge (go a, go b) end
  in
    go entries
  end

(* Words of one to three syllables. Short words and words with low numbers are frequent. *)
fun text n =
  let
    val syllables =
      Vector.fromList
        ["ta",
         "ro",
         "mi",
         "ne",
         "lu",
         "ka",
         "so",
         "vi",
         "en",
         "or",
         "da",
         "pe",
         "shi",
         "gra",
         "um",
         "el"]
    fun go (0, _, pieces) = concat (rev pieces)
      | go (k, seed, pieces) =
          let
            val a = (seed * 1103515245 + 12345) mod 2147483648
            val b = (a * 1103515245 + 12345) mod 2147483648
            fun syllable d = Vector.sub (syllables, Int.min (b div d mod 16, b div (d * 16) mod 16))
            val word =
              case a div 65536 mod 4 of
                  0 => syllable 1024
                | 3 => syllable 1024 ^ syllable 131072 ^ syllable 4096
                | _ => syllable 1024 ^ syllable 131072
            val gap = if k mod 11 = 0 then ". " else if k mod 5 = 0 then ",\n" else " "
          in
            go (k - 1, b, gap :: word :: pieces)
          end
  in
    go (n, 2024, [])
  end

fun read file =
  let
    val input = TextIO.openIn file
  in
    TextIO.inputAll input before TextIO.closeIn input
  end

fun main () =
  let
    val text =
      case CommandLine.arguments () of
          [] => text 300000
        | s :: _ => (case Int.fromString s of SOME n => text n | NONE => read s)
    val counts = table ()
    val words = String.tokens (not o Char.isAlpha) (String.map Char.toLower text)
    val () = app (fn word => let val c = cell (counts, word, 0) in c := !c + 1 end) words
    val all = map (fn (word, cell) => (word, !cell)) (entries counts)
    fun less ((w, m : int), (v, n)) = m > n orelse (m = n andalso String.< (w, v))
    val sorted = sort less all
    fun take (0, _) = []
      | take (_, []) = []
      | take (k, x :: xs) = x :: take (k - 1, xs)
  in
    print (Int.toString (length words) ^ " words, " ^ Int.toString (length all) ^ " different\n");
    app (fn (word, n) => print (StringCvt.padLeft #" " 7 (Int.toString n) ^ " " ^ word ^ "\n"))
      (take (10, sorted))
  end

val () = main ()
