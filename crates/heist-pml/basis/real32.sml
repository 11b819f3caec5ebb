(* Reals of 32 bits. Each operation computes with 64 bits and rounds, which gives the same results for the operations of IEEE 754. *)

structure Real32 : REAL =
struct
  type real = Core.float
  val wide = Core.Float.wide
  val narrow = Core.Float.narrow

  fun one f r = narrow (f (wide r))
  fun two f (a, b) = narrow (f (wide a, wide b))
  fun test f (a, b) = f (wide a, wide b)

  structure Math =
  struct
    type real = real
    val pi = narrow Math.pi
    val e = narrow Math.e
    val sqrt = one Math.sqrt
    val sin = one Math.sin
    val cos = one Math.cos
    val tan = one Math.tan
    val asin = one Math.asin
    val acos = one Math.acos
    val atan = one Math.atan
    val atan2 = two Math.atan2
    val exp = one Math.exp
    val pow = two Math.pow
    val ln = one Math.ln
    val log10 = one Math.log10
    val sinh = one Math.sinh
    val cosh = one Math.cosh
    val tanh = one Math.tanh
  end

  val radix = 2
  val precision = 24
  val least = Real.fromManExp {man = 0.5, exp = ~148}
  val leastNormal = Real.fromManExp {man = 0.5, exp = ~125}
  val largest = Real.fromManExp {man = 1.0 - Real.fromManExp {man = 0.5, exp = ~23}, exp = 128}
  val maxFinite = narrow largest
  val minPos = narrow least
  val minNormalPos = narrow leastNormal
  val posInf = narrow Real.posInf
  val negInf = narrow Real.negInf

  val rem = two Real.rem
  fun *+ (a, b, c) = narrow (Real.*+ (wide a, wide b, wide c))
  fun *- (a, b, c) = narrow (Real.*- (wide a, wide b, wide c))
  val min = two Real.min
  val max = two Real.max
  fun sign r = Real.sign (wide r)
  fun signBit r = Real.signBit (wide r)
  val sameSign = test Real.sameSign
  val copySign = two Real.copySign
  val compare = test Real.compare
  val compareReal = test Real.compareReal
  val == = test Real.==
  val != = test Real.!=
  val ?= = test Real.?=
  val unordered = test Real.unordered
  fun isFinite r = Real.isFinite (wide r)
  fun isNan r = Real.isNan (wide r)
  fun isNormal r = Real.isFinite (wide r) andalso Real.>= (Real.abs (wide r), leastNormal)
  fun class r =
    case Real.class (wide r) of
      IEEEReal.NORMAL => if isNormal r then IEEEReal.NORMAL else IEEEReal.SUBNORMAL
    | other => other
  fun toManExp r =
    let val {man, exp} = Real.toManExp (wide r)
    in {man = narrow man, exp = exp}
    end
  fun fromManExp {man, exp} = narrow (Real.fromManExp {man = wide man, exp = exp})
  fun split r =
    let val {whole, frac} = Real.split (wide r)
    in {whole = narrow whole, frac = narrow frac}
    end
  val realMod = one Real.realMod
  val checkFloat = one Real.checkFloat
  val realFloor = one Real.realFloor
  val realCeil = one Real.realCeil
  val realTrunc = one Real.realTrunc
  val realRound = one Real.realRound
  fun floor r = Real.floor (wide r)
  fun ceil r = Real.ceil (wide r)
  fun trunc r = Real.trunc (wide r)
  fun round r = Real.round (wide r)
  fun toInt mode r = Real.toInt mode (wide r)
  fun toLargeInt mode r = Real.toLargeInt mode (wide r)
  fun fromInt i = narrow (Real.fromInt i)
  fun fromLargeInt i = narrow (Real.fromLargeInt i)
  val toLarge = wide

  fun nextAfter (r, t) =
    let val (x, y) = (wide r, wide t)
    in
      if Real.isNan x orelse Real.isNan y then narrow (Real.posInf - Real.posInf)
      else if Real.== (x, y) orelse not (Real.isFinite x) then r
      else if Real.== (x, 0.0) then narrow (Real.copySign (least, y))
      else
        let
          val {man, exp} = Real.toManExp (Real.abs x)
          val away = if Real.> (x, 0.0) then Real.> (y, x) else Real.< (y, x)
          (* The distance to the neighbour. Below a power of two, the distance is half as large. *)
          val exp = if not away andalso Real.== (man, 0.5) then Int.- (exp, 1) else exp
          val step = Real.max (least, Real.fromManExp {man = 0.5, exp = Int.- (exp, 23)})
          val magnitude = if away then Real.+ (Real.abs x, step) else Real.- (Real.abs x, step)
          val next = if Real.> (magnitude, largest) then Real.posInf else magnitude
        in
          narrow (Real.copySign (next, x))
        end
    end

  fun fromLarge mode x =
    let
      val r = narrow x
      val over = Real.> (wide r, x)
      val under = Real.< (wide r, x)
      fun down () = nextAfter (r, negInf)
      fun up () = nextAfter (r, posInf)
      (* A real that is too large for 32 bits is infinite, and its neighbour is the largest finite real. *)
      fun finite (f, limit) = if isFinite r then f () else limit
    in
      case mode of
        IEEEReal.TO_NEAREST => r
      | IEEEReal.TO_NEGINF => if over then finite (down, maxFinite) else r
      | IEEEReal.TO_POSINF => if under then finite (up, narrow (Real.~ largest)) else r
      | IEEEReal.TO_ZERO =>
          if Real.> (x, 0.0) then if over then finite (down, maxFinite) else r
          else if under then finite (up, narrow (Real.~ largest))
          else r
    end

  (* Returns the fewest digits that determine the real. *)
  fun toDecimal r =
    let
      fun go n =
        let val text = Real.fmt (StringCvt.SCI (SOME n)) (wide r)
        in
          case Real.fromString text of
            SOME x => if Int.>= (n, 8) orelse Real.== (wide (narrow x), wide r) then x else go (Int.+ (n, 1))
          | NONE => wide r
        end
    in
      case class r of
        IEEEReal.NORMAL => Real.toDecimal (go 0)
      | IEEEReal.SUBNORMAL =>
          let val {sign, digits, exp, ...} = Real.toDecimal (go 0)
          in {class = IEEEReal.SUBNORMAL, sign = sign, digits = digits, exp = exp}
          end
      | _ => Real.toDecimal (wide r)
    end
  fun fromDecimal d = Option.map narrow (Real.fromDecimal d)
  fun fmt StringCvt.EXACT r =
        if isFinite r then IEEEReal.toString (toDecimal r) else Real.fmt StringCvt.EXACT (wide r)
    | fmt spec r = Real.fmt spec (wide r)
  fun toString r = Real.toString (wide r)
  fun scan getc cs = Option.map (fn (x, rest) => (narrow x, rest)) (Real.scan getc cs)
  fun fromString s = Option.map narrow (Real.fromString s)

  val op + = Core.Float.+
  val op - = Core.Float.-
  val op * = Core.Float.*
  val op / = Core.Float./
  val op < = Core.Float.<
  val op <= = Core.Float.<=
  val op > = Core.Float.>
  val op >= = Core.Float.>=
  val ~ = Core.Float.~
  val abs = Core.Float.abs
end
