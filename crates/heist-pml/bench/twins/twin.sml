(* The parts that the programs of this folder and their twins in Rust (`crates/heist-suite/src/twins`) have in common: the generator of
   the inputs, the checksum of the results, and the main function. *)

structure Twin :
sig
  (* The words of a stream of random numbers. The other functions return the same numbers as nonnegative ints, as ints below a bound, and
     as reals from ~1.0 to 1.0. *)
  val word : int * int -> word
  val below : int * int * int -> int
  val unit : int * int -> real
  (* The sum of the words. Each word is multiplied by an odd number that depends on its position. *)
  val checksum : int * (int -> word) -> word
  val ofInt : int -> word
  val ofReal : real -> word
  val ofString : string -> word
  (* `main size prepare`: `prepare n` makes an input. It returns the function whose time is measured, and a function that makes a word of
     the result. Arguments: the size, and the number of runs. The program prints the checksum to the output. It prints the time of each
     run, and the processor time of all workers, in seconds, to standard error. *)
  val main : int -> (int -> (unit -> 'a) * ('a -> word)) -> unit
end =
struct
  fun mix z =
    let
      val z = Word.xorb (z, Word.>> (z, 0w30)) * 0wxbf58476d1ce4e5b9
      val z = Word.xorb (z, Word.>> (z, 0w27)) * 0wx94d049bb133111eb
    in
      Word.xorb (z, Word.>> (z, 0w31))
    end
  (* SplitMix64 (Steele, Lea, Flood 2014). *)
  fun word (seed, i) = mix (Word.fromInt seed + (Word.fromInt i + 0w1) * 0wx9e3779b97f4a7c15)
  fun below (seed, i, n) = Word.toInt (word (seed, i) mod Word.fromInt n)
  fun unit (seed, i) = real (Word.toInt (Word.>> (word (seed, i), 0w11))) / 4503599627370496.0 - 1.0
  fun checksum (n, f) =
    ParLoop.reduce (op+, 0w0, n, fn i => (f i + 0w1) * (0w2 * Word.fromInt i + 0w1))
  val ofInt = Word.fromInt
  val ofReal = Core.Real.bits
  fun ofString s = CharVector.foldl (fn (c, h) => h * 0w31 + Word.fromInt (ord c)) 0w0 s

  fun processorTime () = Core.System.userTime () + Core.System.systemTime ()
  fun seconds ns = Real.fmt (StringCvt.FIX (SOME 6)) (real ns / 1E9)

  fun main size prepare =
    let
      val (size, runs) =
        case List.mapPartial Int.fromString (CommandLine.arguments ()) of
          [] => (size, 1)
        | [n] => (n, 1)
        | n :: runs :: _ => (n, runs)
      val (run, word) = prepare size
      fun go (0, sum) = sum
        | go (k, sum) =
            let
              val start = Core.System.monotonic ()
              val before' = processorTime ()
              val result = run ()
              val used = processorTime () - before'
              val time = Core.System.monotonic () - start
              val this = word result
            in
              TextIO.output (TextIO.stdErr, "kernel " ^ seconds time ^ " " ^ seconds used ^ "\n");
              if isSome sum andalso sum <> SOME this then raise Fail "two runs with different results" else ();
              go (k - 1, SOME this)
            end
    in
      print (Word.toString (valOf (go (runs, NONE))) ^ "\n")
    end
end
