(* For lists of programs (`.mlb`), which are written for MLton or MPL. Reals print as in MLton: a whole number has no point (`1`, not
   `1.0`), the number of digits selects the notation, and minus zero has no sign. *)

functor WrittenAsMLton (R : REAL) =
struct
  local
    (* Returns the digits and the exponent of a number that `fmt (SCI _)` has written, without a sign and without zeros at the end. *)
    fun parts text =
      let
        val (mantissa, exponent) = Substring.splitl (fn c => c <> #"E") (Substring.full text)
        val digits = String.translate (fn #"." => "" | c => str c) (Substring.string mantissa)
        val significant = Substring.dropr (fn c => c = #"0") (Substring.full digits)
      in
        (Substring.string significant, valOf (Int.fromString (Substring.string (Substring.triml 1 exponent))))
      end

    fun zeros n = CharVector.tabulate (n, fn _ => #"0")

    (* A number with one digit has no exponent from 0.01 up to 900. A number with more digits may have three zeros before or behind its
       digits. *)
    fun general ("", _) = "0"
      | general (digits, exponent) =
          let
            val n = String.size digits
            val (least, most) = if n = 1 then (~2, 2) else (~3, n + 2)
            fun point i = String.substring (digits, 0, i) ^ "." ^ String.extract (digits, i, NONE)
          in
            if exponent < least orelse exponent > most then
              concat [if n = 1 then digits else point 1, "E", Int.toString exponent]
            else if exponent < 0 then concat ["0.", zeros (~ exponent - 1), digits]
            else if exponent < n - 1 then point (exponent + 1)
            else digits ^ zeros (exponent - n + 1)
          end

    val zero = R.fromInt 0
    fun unsigned text = if String.isPrefix "~" text then String.extract (text, 1, NONE) else text
    fun withoutSign write r = if R.== (r, zero) then unsigned (write r) else write r
    fun gen digits =
      let val scientific = R.fmt (StringCvt.SCI (SOME (digits - 1)))
      in
        fn r =>
          if not (R.isFinite r) then scientific r
          else if R.< (r, zero) then "~" ^ general (parts (scientific (R.~ r)))
          else general (parts (unsigned (scientific r)))
      end
  in
    val toString = gen 12
    fun fmt (StringCvt.GEN NONE) = toString
      | fmt (StringCvt.GEN (SOME digits)) = if digits < 1 then raise Size else gen digits
      | fmt StringCvt.EXACT = R.fmt StringCvt.EXACT
      | fmt spec = withoutSign (R.fmt spec)
  end
end

local
  structure Wide = WrittenAsMLton (Real)
  structure Narrow = WrittenAsMLton (Real32)
in
  structure Real : REAL =
  struct
    open Real
    val toString = Wide.toString
    val fmt = Wide.fmt
    (* If the two reals are equal, returns `t`, as in C. So a zero becomes the other zero. *)
    fun nextAfter (r, t) = if Real.== (r, t) then t else Real.nextAfter (r, t)
  end
  structure Real32 : REAL =
  struct
    open Real32
    val toString = Narrow.toString
    val fmt = Narrow.fmt
    fun nextAfter (r, t) = if Real32.== (r, t) then t else Real32.nextAfter (r, t)
  end
end
structure Real64 = Real
structure LargeReal = Real

structure String : STRING =
struct
  open String
  (* If the text begins with a wrong escape sequence, the result is the empty string. *)
  fun fromCString s = case String.fromCString s of NONE => SOME "" | converted => converted
end
