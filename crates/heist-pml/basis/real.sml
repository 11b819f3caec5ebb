(* Reals: IEEEReal, Math and Real. *)

signature IEEE_REAL =
sig
  exception Unordered
  datatype real_order = LESS | EQUAL | GREATER | UNORDERED
  datatype float_class = NAN | INF | ZERO | NORMAL | SUBNORMAL
  datatype rounding_mode = TO_NEAREST | TO_NEGINF | TO_POSINF | TO_ZERO
  val setRoundingMode : rounding_mode -> unit
  val getRoundingMode : unit -> rounding_mode
  type decimal_approx = {class : float_class, sign : bool, digits : int list, exp : int}
  val toString : decimal_approx -> string
  val scan : (char, 'a) StringCvt.reader -> (decimal_approx, 'a) StringCvt.reader
  val fromString : string -> decimal_approx option
end

(* Functions that read reals. *)
structure RealScan =
struct
  datatype number =
    NUMBER of {negative : bool, whole : char list, fraction : char list, exp : string}
  | INFINITE of bool
  | NOT_A_NUMBER of bool

  fun isDigit c = c >= #"0" andalso c <= #"9"

  fun digits (getc, cs) =
    let
      fun go (cs, l) =
        case getc cs of
          SOME (c, rest) => if isDigit c then go (rest, c :: l) else (List.rev l, cs)
        | NONE => (List.rev l, cs)
    in
      go (cs, nil)
    end

  (* Skips a word. Its letters may be upper-case or lower-case letters. *)
  fun word (text, getc, cs) =
    let
      val n = Core.String.size text
      fun go (i, cs) =
        if i = n then SOME cs
        else
          case getc cs of
            SOME (c, rest) => if Char.toLower c = Core.String.sub (text, i) then go (i + 1, rest) else NONE
          | NONE => NONE
    in
      go (0, cs)
    end

  fun named (negative, getc, cs) =
    case word ("inf", getc, cs) of
      SOME rest => SOME (INFINITE negative, getOpt (word ("inity", getc, rest), rest))
    | NONE =>
        case word ("nan", getc, cs) of
          SOME rest => SOME (NOT_A_NUMBER negative, rest)
        | NONE => NONE

  fun scan getc cs =
    let
      val (negative, cs) = Digits.sign (getc, StringCvt.skipWS getc cs)
      val (whole, afterWhole) = digits (getc, cs)
      val (fraction, afterFraction) =
        case getc afterWhole of
          SOME (#".", rest) =>
            (* A point without digits behind it is not a part of the number. *)
            (case digits (getc, rest) of
               (nil, _) => (nil, afterWhole)
             | fraction => fraction)
        | _ => (nil, afterWhole)
      fun exponent cs =
        case getc cs of
          SOME (c, rest) =>
            if c = #"e" orelse c = #"E" then
              let val (negative, rest) = Digits.sign (getc, rest)
              in
                case digits (getc, rest) of
                  (nil, _) => ("0", cs)
                | (digits, rest) => (Chars.implode (if negative then #"-" :: digits else digits), rest)
              end
            else ("0", cs)
        | NONE => ("0", cs)
    in
      if List.null whole andalso List.null fraction then named (negative, getc, cs)
      else
        let val (exp, rest) = exponent afterFraction
        in SOME (NUMBER {negative = negative, whole = whole, fraction = fraction, exp = exp}, rest)
        end
    end

  (* Returns an exponent. If it does not fit in an int, returns a number that is far beyond the exponents of all reals. *)
  fun exponent text =
    valOf (Int.fromString text)
    handle Overflow => if Core.String.sub (text, 0) = #"-" then ~1000000000 else 1000000000
end

structure IEEEReal : IEEE_REAL =
struct
  exception Unordered = Core.Unordered
  datatype real_order = LESS | EQUAL | GREATER | UNORDERED
  datatype float_class = NAN | INF | ZERO | NORMAL | SUBNORMAL
  datatype rounding_mode = TO_NEAREST | TO_NEGINF | TO_POSINF | TO_ZERO
  type decimal_approx = {class : float_class, sign : bool, digits : int list, exp : int}

  fun setRoundingMode TO_NEAREST = ()
    | setRoundingMode _ = raise Fail "not supported yet: rounding modes other than TO_NEAREST"
  fun getRoundingMode () = TO_NEAREST

  fun toString {class, sign, digits, exp} =
    let
      val minus = if sign then "~" else ""
      val text = Chars.implode (List.map Digits.char digits)
      val e = if exp = 0 then "" else "E" ^ Int.toString exp
    in
      case class of
        NAN => minus ^ "nan"
      | INF => minus ^ "inf"
      | ZERO => minus ^ "0.0"
      | _ => concat [minus, "0.", text, e]
    end

  fun scan getc cs =
    case RealScan.scan getc cs of
      NONE => NONE
    | SOME (RealScan.INFINITE sign, rest) => SOME ({class = INF, sign = sign, digits = nil, exp = 0}, rest)
    | SOME (RealScan.NOT_A_NUMBER sign, rest) => SOME ({class = NAN, sign = sign, digits = nil, exp = 0}, rest)
    | SOME (RealScan.NUMBER {negative, whole, fraction, exp}, rest) =>
        let
          fun dropZeros (#"0" :: l, n) = dropZeros (l, n + 1)
            | dropZeros (l, n) = (l, n)
          val all = whole @ fraction
          val (digits, zeros) = dropZeros (all, 0)
          val digits = List.rev (#1 (dropZeros (List.rev digits, 0)))
        in
          case digits of
            nil => SOME ({class = ZERO, sign = negative, digits = nil, exp = 0}, rest)
          | _ =>
              SOME
                ({ class = NORMAL, sign = negative, digits = List.map Digits.value digits
                 , exp = RealScan.exponent exp + List.length whole - zeros },
                 rest)
        end

  fun fromString s = StringCvt.scanString scan s
end

signature MATH =
sig
  type real
  val pi : real
  val e : real
  val sqrt : real -> real
  val sin : real -> real
  val cos : real -> real
  val tan : real -> real
  val asin : real -> real
  val acos : real -> real
  val atan : real -> real
  val atan2 : real * real -> real
  val exp : real -> real
  val pow : real * real -> real
  val ln : real -> real
  val log10 : real -> real
  val sinh : real -> real
  val cosh : real -> real
  val tanh : real -> real
end

structure Math : MATH =
struct
  type real = real
  val pi = 3.14159265358979323846
  val e = 2.7182818284590452354
  val sqrt = Core.Real.sqrt
  open Core.Math
end

signature REAL =
sig
  type real
  structure Math : MATH where type real = real
  val radix : int
  val precision : int
  val maxFinite : real
  val minPos : real
  val minNormalPos : real
  val posInf : real
  val negInf : real
  val + : real * real -> real
  val - : real * real -> real
  val * : real * real -> real
  val / : real * real -> real
  val rem : real * real -> real
  val *+ : real * real * real -> real
  val *- : real * real * real -> real
  val ~ : real -> real
  val abs : real -> real
  val min : real * real -> real
  val max : real * real -> real
  val sign : real -> int
  val signBit : real -> bool
  val sameSign : real * real -> bool
  val copySign : real * real -> real
  val compare : real * real -> order
  val compareReal : real * real -> IEEEReal.real_order
  val < : real * real -> bool
  val <= : real * real -> bool
  val > : real * real -> bool
  val >= : real * real -> bool
  val == : real * real -> bool
  val != : real * real -> bool
  val ?= : real * real -> bool
  val unordered : real * real -> bool
  val isFinite : real -> bool
  val isNan : real -> bool
  val isNormal : real -> bool
  val class : real -> IEEEReal.float_class
  val toManExp : real -> {man : real, exp : int}
  val fromManExp : {man : real, exp : int} -> real
  val split : real -> {whole : real, frac : real}
  val realMod : real -> real
  val nextAfter : real * real -> real
  val checkFloat : real -> real
  val realFloor : real -> real
  val realCeil : real -> real
  val realTrunc : real -> real
  val realRound : real -> real
  val floor : real -> int
  val ceil : real -> int
  val trunc : real -> int
  val round : real -> int
  val toInt : IEEEReal.rounding_mode -> real -> int
  val toLargeInt : IEEEReal.rounding_mode -> real -> Core.intinf
  val fromInt : int -> real
  val fromLargeInt : Core.intinf -> real
  val toLarge : real -> Core.real
  val fromLarge : IEEEReal.rounding_mode -> Core.real -> real
  val fmt : StringCvt.realfmt -> real -> string
  val toString : real -> string
  val scan : (char, 'a) StringCvt.reader -> (real, 'a) StringCvt.reader
  val fromString : string -> real option
  val toDecimal : real -> IEEEReal.decimal_approx
  val fromDecimal : IEEEReal.decimal_approx -> real option
end

structure Real : REAL where type real = real =
struct
  structure Math = Math
  type real = real
  val radix = 2
  val precision = 53
  val maxFinite = Core.Real.maxFinite
  val minPos = Core.Real.minPos
  val minNormalPos = Core.Real.minNormal
  val posInf = Core.Real.posInf
  val negInf = ~ posInf

  val == = Core.Real.==
  val != = Core.Real.!=
  infix 4 == !=

  fun *+ (a : real, b, c) = a * b + c
  fun *- (a : real, b, c) = a * b - c
  fun isNan (r : real) = r != r
  fun isFinite (r : real) = abs r <= maxFinite
  fun isNormal (r : real) = abs r >= minNormalPos andalso abs r <= maxFinite
  val signBit = Core.Real.signBit
  fun sameSign (a, b) = signBit a = signBit b
  fun copySign (a, b) = if signBit a = signBit b then a else ~ a
  fun sign (r : real) = if r > 0.0 then 1 else if r < 0.0 then ~1 else if r == 0.0 then 0 else raise Domain
  val min = Core.Real.min
  val max = Core.Real.max
  fun unordered (a, b) = isNan a orelse isNan b
  fun ?= (a, b) = a == b orelse unordered (a, b)

  fun compare (a : real, b) =
    if a < b then LESS else if a == b then EQUAL else if a > b then GREATER else raise IEEEReal.Unordered
  fun compareReal (a : real, b) =
    if a < b then IEEEReal.LESS
    else if a == b then IEEEReal.EQUAL
    else if a > b then IEEEReal.GREATER
    else IEEEReal.UNORDERED

  fun class r =
    if isNan r then IEEEReal.NAN
    else if r == 0.0 then IEEEReal.ZERO
    else if abs r > maxFinite then IEEEReal.INF
    else if abs r < minNormalPos then IEEEReal.SUBNORMAL
    else IEEEReal.NORMAL

  fun rem (a, b) = if isFinite a andalso not (isFinite b) andalso not (isNan b) then a else Core.Real.rem (a, b)

  fun toManExp r =
    if r == 0.0 orelse not (isFinite r) then {man = r, exp = 0}
    else {man = Core.Real.man r, exp = Core.Real.exp r}
  fun fromManExp {man, exp} =
    if man == 0.0 orelse not (isFinite man) then man else Core.Real.scale (man, exp)

  val realFloor = Core.Real.floor
  val realCeil = Core.Real.ceil
  val realTrunc = Core.Real.trunc
  val realRound = Core.Real.nearest

  fun split r =
    if isFinite r then
      let val whole = realTrunc r
      in {whole = whole, frac = copySign (r - whole, r)}
      end
    else if isNan r then {whole = r, frac = r}
    else {whole = r, frac = copySign (0.0, r)}
  fun realMod r = #frac (split r)

  fun nextAfter (r, t) =
    if isNan r orelse isNan t then r + t
    else if r == t then r
    else if not (isFinite r) then r
    else if r == 0.0 then if t > 0.0 then minPos else ~ minPos
    else
      let
        val away = if r > 0.0 then t > r else t < r
        val magnitude = if away then Core.Real.stepUp (abs r) else Core.Real.stepDown (abs r)
      in
        copySign (magnitude, r)
      end

  fun checkFloat r = if isNan r then raise Div else if isFinite r then r else raise Overflow

  (* The real must be integral. *)
  fun intOf r =
    if r >= ~ Core.Real.intLimit andalso r < Core.Real.intLimit then Core.Real.toInt r
    else if isNan r then raise Domain
    else raise Overflow
  fun floor r = intOf (Core.Real.floor r)
  fun ceil r = intOf (Core.Real.ceil r)
  fun trunc r = intOf (Core.Real.trunc r)
  fun round r = intOf (Core.Real.nearest r)

  fun rounded IEEEReal.TO_NEAREST r = realRound r
    | rounded IEEEReal.TO_NEGINF r = realFloor r
    | rounded IEEEReal.TO_POSINF r = realCeil r
    | rounded IEEEReal.TO_ZERO r = realTrunc r
  fun toInt mode r = intOf (rounded mode r)
  fun toLargeInt mode r =
    if isNan r then raise Domain
    else if isFinite r then Core.IntInf.fromReal (rounded mode r)
    else raise Overflow
  val fromInt = Core.Real.fromInt
  val fromLargeInt = Core.IntInf.toReal
  fun toLarge (r : real) = r
  fun fromLarge _ (r : real) = r

  (* Infinities and NaN have names; `f` prints all other reals. *)
  fun named f r = if isFinite r then f r else if isNan r then "nan" else if r > 0.0 then "inf" else "~inf"

  fun toDecimal r =
    let
      val class = class r
      val sign = signBit r
    in
      case class of
        IEEEReal.NORMAL => finite (class, sign, r)
      | IEEEReal.SUBNORMAL => finite (class, sign, r)
      | _ => {class = class, sign = sign, digits = nil, exp = 0}
    end

  and finite (class, sign, r) =
    let
      (* The text has digits, perhaps with a point among them, and an exponent. *)
      val text = Core.Real.shortest (abs r)
      val (mantissa, exponent) =
        case String.fields (fn c => c = #"e") text of
          [mantissa, exponent] => (mantissa, valOf (Int.fromString exponent))
        | _ => (text, 0)
      val digits = List.map Digits.value (List.filter Char.isDigit (explode mantissa))
    in
      {class = class, sign = sign, digits = digits, exp = exponent + 1}
    end

  (* Checks the number of digits behind the point. The text has up to 400 further characters. *)
  fun digitsBehind n = if n < 0 orelse n > Core.String.maxSize - 400 then raise Size else n

  fun fmt format =
    case format of
      StringCvt.SCI n =>
        let val n = digitsBehind (getOpt (n, 6))
        in named (fn r => Core.Real.sci (r, n))
        end
    | StringCvt.FIX n =>
        let val n = digitsBehind (getOpt (n, 6))
        in named (fn r => Core.Real.fix (r, n))
        end
    | StringCvt.GEN n =>
        let val n = getOpt (n, 12)
        in if n < 1 then raise Size else named (fn r => Core.Real.gen (r, n))
        end
    | StringCvt.EXACT => named (IEEEReal.toString o toDecimal)

  fun toString r = named (fn r => Core.Real.gen (r, 12)) r

  fun scan getc cs =
    case RealScan.scan getc cs of
      NONE => NONE
    | SOME (RealScan.INFINITE negative, rest) => SOME (if negative then negInf else posInf, rest)
    | SOME (RealScan.NOT_A_NUMBER _, rest) => SOME (Core.Real.nan, rest)
    | SOME (RealScan.NUMBER {negative, whole, fraction, exp}, rest) =>
        let val r = Core.Real.parse (concat ["0", implode whole, ".", implode fraction, "0e", exp])
        in SOME (if negative then ~ r else r, rest)
        end

  fun fromString s = StringCvt.scanString scan s

  fun fromDecimal {class, sign, digits, exp} =
    let fun signed r = SOME (if sign then ~ r else r)
    in
      case class of
        IEEEReal.NAN => signed Core.Real.nan
      | IEEEReal.INF => signed posInf
      | IEEEReal.ZERO => signed 0.0
      | _ =>
          if List.all (fn d => d >= 0 andalso d <= 9) digits then
            let
              (* The smallest int has no positive counterpart. *)
              val e = if exp < 0 then "-" ^ Int.toString (~ (Int.max (exp, ~ Core.Int.maxInt))) else Int.toString exp
            in
              signed (Core.Real.parse (concat ["0.", implode (List.map Digits.char digits), "0e", e]))
            end
          else NONE
    end

  val op + = Core.Real.+
  val op - = Core.Real.-
  val op * = Core.Real.*
  val op / = Core.Real./
  val op < = Core.Real.<
  val op <= = Core.Real.<=
  val op > = Core.Real.>
  val op >= = Core.Real.>=
  val ~ = Core.Real.~
  val abs = Core.Real.abs
end

structure LargeReal = Real
structure Real64 = Real

val real = Real.fromInt
val floor = Real.floor
val ceil = Real.ceil
val trunc = Real.trunc
val round = Real.round
