(* Time, Timer and Date. *)

signature TIME =
sig
  eqtype time
  exception Time
  val zeroTime : time
  val fromReal : real -> time
  val toReal : time -> real
  val toSeconds : time -> Core.intinf
  val toMilliseconds : time -> Core.intinf
  val toMicroseconds : time -> Core.intinf
  val toNanoseconds : time -> Core.intinf
  val fromSeconds : Core.intinf -> time
  val fromMilliseconds : Core.intinf -> time
  val fromMicroseconds : Core.intinf -> time
  val fromNanoseconds : Core.intinf -> time
  val + : time * time -> time
  val - : time * time -> time
  val compare : time * time -> order
  val < : time * time -> bool
  val <= : time * time -> bool
  val > : time * time -> bool
  val >= : time * time -> bool
  val now : unit -> time
  val fmt : int -> time -> string
  val toString : time -> string
  val scan : (char, 'a) StringCvt.reader -> (time, 'a) StringCvt.reader
  val fromString : string -> time option
end

structure Time :> TIME =
struct
  (* A time is a number of nanoseconds. The range is 292 years. *)
  type time = int
  exception Time

  val zeroTime = 0
  fun checked f = f () handle Overflow => raise Time | Domain => raise Time
  fun fromReal r = checked (fn () => Real.trunc (r * 1E9))
  fun toReal t = Real.fromInt t / 1E9
  fun to unit t = IntInf.fromInt (Core.Int.quot (t, unit))
  val toSeconds = to 1000000000
  val toMilliseconds = to 1000000
  val toMicroseconds = to 1000
  val toNanoseconds = to 1
  fun from unit i = checked (fn () => IntInf.toInt i * unit)
  val fromSeconds = from 1000000000
  val fromMilliseconds = from 1000000
  val fromMicroseconds = from 1000
  val fromNanoseconds = from 1
  val compare = Int.compare
  val now = Core.System.now

  (* Rounds to `digits` digits after the point; halves round away from 0. *)
  fun fmt digits t =
    if digits < 0 then raise Size
    else
      let
        fun power (0, p) = p
          | power (n, p) = power (n - 1, p * 10)
        val kept = Int.min (digits, 9)
        val unit = power (9 - kept, 1)
        val magnitude = IntInf.abs (IntInf.fromInt t)
        val rounded = IntInf.div (IntInf.+ (magnitude, IntInf.fromInt (unit div 2)), IntInf.fromInt unit)
        val whole = IntInf.div (rounded, IntInf.fromInt (power (kept, 1)))
        val part = IntInf.mod (rounded, IntInf.fromInt (power (kept, 1)))
        val minus = if t < 0 andalso rounded <> 0 then "~" else ""
        val point =
          if digits = 0 then ""
          else
            "." ^ StringCvt.padRight #"0" digits (StringCvt.padLeft #"0" kept (IntInf.toString part))
      in
        concat [minus, IntInf.toString whole, point]
      end
  fun toString t = fmt 3 t

  fun scan getc cs =
    let
      val (negative, cs) = Digits.sign (getc, StringCvt.skipWS getc cs)
      val (whole, afterWhole) = RealScan.digits (getc, cs)
      val (fraction, rest) =
        case getc afterWhole of
          SOME (#".", afterPoint) =>
            (case RealScan.digits (getc, afterPoint) of
               (nil, _) => (nil, afterWhole)
             | found => found)
        | _ => (nil, afterWhole)
      (* Reads nine digits. *)
      fun nanoseconds (0, _, n) = n
        | nanoseconds (k, nil, n) = nanoseconds (k - 1, nil, n * 10)
        | nanoseconds (k, c :: l, n) = nanoseconds (k - 1, l, n * 10 + Digits.value c)
    in
      if List.null whole andalso List.null fraction then NONE
      else
        checked
          (fn () =>
             let
               val seconds = if List.null whole then 0 else valOf (Int.fromString (implode whole))
               val t = seconds * 1000000000 + nanoseconds (9, fraction, 0)
             in
               SOME (if negative then ~ t else t, rest)
             end)
    end
  fun fromString s = StringCvt.scanString scan s

  fun a - b = checked (fn () => Core.Int.- (a, b))
  fun a + b = checked (fn () => Core.Int.+ (a, b))
  val op < = Core.Int.<
  val op <= = Core.Int.<=
  val op > = Core.Int.>
  val op >= = Core.Int.>=
end

signature TIMER =
sig
  type cpu_timer
  type real_timer
  val startCPUTimer : unit -> cpu_timer
  val checkCPUTimes :
    cpu_timer -> {nongc : {usr : Time.time, sys : Time.time}, gc : {usr : Time.time, sys : Time.time}}
  val checkCPUTimer : cpu_timer -> {usr : Time.time, sys : Time.time}
  val checkGCTime : cpu_timer -> Time.time
  val totalCPUTimer : unit -> cpu_timer
  val startRealTimer : unit -> real_timer
  val checkRealTimer : real_timer -> Time.time
  val totalRealTimer : unit -> real_timer
end

structure Timer :> TIMER =
struct
  datatype cpu_timer = Cpu of {usr : int, sys : int, gc : int}
  datatype real_timer = Real of int
  val start = Core.System.monotonic ()

  fun time ns = Time.fromNanoseconds (IntInf.fromInt ns)
  fun startCPUTimer () =
    Cpu
      { usr = Core.System.userTime (), sys = Core.System.systemTime ()
      , gc = Core.System.collectorTime () }
  fun totalCPUTimer () = Cpu {usr = 0, sys = 0, gc = 0}
  fun since (Cpu {usr, sys, gc}) =
    let val Cpu {usr = usr', sys = sys', gc = gc'} = startCPUTimer ()
    in (usr' - usr, sys' - sys, gc' - gc)
    end
  fun checkCPUTimer timer =
    let val (usr, sys, _) = since timer
    in {usr = time usr, sys = time sys}
    end
  fun checkGCTime timer = time (#3 (since timer))
  fun checkCPUTimes timer =
    let val (usr, sys, gc) = since timer
    in {nongc = {usr = time (Int.max (usr - gc, 0)), sys = time sys}, gc = {usr = time gc, sys = Time.zeroTime}}
    end
  fun startRealTimer () = Real (Core.System.monotonic ())
  fun totalRealTimer () = Real start
  fun checkRealTimer (Real from) = time (Core.System.monotonic () - from)
end

signature DATE =
sig
  datatype weekday = Mon | Tue | Wed | Thu | Fri | Sat | Sun
  datatype month = Jan | Feb | Mar | Apr | May | Jun | Jul | Aug | Sep | Oct | Nov | Dec
  type date
  exception Date
  val date :
    { year : int, month : month, day : int, hour : int, minute : int, second : int, offset : Time.time option }
    -> date
  val year : date -> int
  val month : date -> month
  val day : date -> int
  val hour : date -> int
  val minute : date -> int
  val second : date -> int
  val weekDay : date -> weekday
  val yearDay : date -> int
  val offset : date -> Time.time option
  val isDst : date -> bool option
  val localOffset : unit -> Time.time
  val fromTimeLocal : Time.time -> date
  val fromTimeUniv : Time.time -> date
  val toTime : date -> Time.time
  val compare : date * date -> order
  val fmt : string -> date -> string
  val toString : date -> string
  val scan : (char, 'a) StringCvt.reader -> (date, 'a) StringCvt.reader
  val fromString : string -> date option
end

structure Date :> DATE =
struct
  datatype weekday = Mon | Tue | Wed | Thu | Fri | Sat | Sun
  datatype month = Jan | Feb | Mar | Apr | May | Jun | Jul | Aug | Sep | Oct | Nov | Dec
  exception Date

  (* Days since the start of 1970, the second of the day, and the offset to the west in seconds, if one is given. *)
  datatype date = At of {days : int, second : int, offset : int option}

  val months = Vector.fromList [Jan, Feb, Mar, Apr, May, Jun, Jul, Aug, Sep, Oct, Nov, Dec]
  val monthNames =
    Vector.fromList ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
  val longMonthNames =
    Vector.fromList
      [ "January", "February", "March", "April", "May", "June", "July", "August", "September", "October"
      , "November", "December" ]
  val weekdays = Vector.fromList [Mon, Tue, Wed, Thu, Fri, Sat, Sun]
  val weekdayNames = Vector.fromList ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
  val longWeekdayNames =
    Vector.fromList ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]

  fun monthIndex month = #1 (valOf (Vector.findi (fn (_, m) => m = month) months))

  (* Computes the days from year, month and day, in eras of 400 years that start in March. *)
  fun daysOf (year, month, day) =
    let
      val y = if month < 2 then year - 1 else year
      val era = y div 400
      val yearOfEra = y - era * 400
      val dayOfYear = (153 * ((month + 10) mod 12) + 2) div 5 + day - 1
      val dayOfEra = yearOfEra * 365 + yearOfEra div 4 - yearOfEra div 100 + dayOfYear
    in
      era * 146097 + dayOfEra - 719468
    end

  fun civil days =
    let
      val z = days + 719468
      val era = z div 146097
      val dayOfEra = z - era * 146097
      val yearOfEra = (dayOfEra - dayOfEra div 1460 + dayOfEra div 36524 - dayOfEra div 146096) div 365
      val dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra div 4 - yearOfEra div 100)
      val m = (5 * dayOfYear + 2) div 153
      val month = (m + 2) mod 12
    in
      { year = yearOfEra + era * 400 + (if month < 2 then 1 else 0), month = month
      , day = dayOfYear - (153 * m + 2) div 5 + 1 }
    end

  fun seconds t = IntInf.toInt (Time.toSeconds t)
  fun time s = Time.fromSeconds (IntInf.fromInt s)

  fun ofSeconds (s, offset) = At {days = s div 86400, second = s mod 86400, offset = offset}

  fun date {year, month, day, hour, minute, second, offset} =
    let
      val s = daysOf (year, monthIndex month, 1) * 86400 + (day - 1) * 86400 + hour * 3600 + minute * 60 + second
      (* An offset of more than a day moves the date. *)
      val offset = Option.map seconds offset
      val (s, offset) =
        case offset of
          NONE => (s, NONE)
        | SOME o' =>
            let val rest = Core.Int.rem (o', 86400)
            in (s + (o' - rest), SOME rest)
            end
    in
      ofSeconds (s, offset)
    end
    handle Overflow => raise Date

  fun year (At {days, ...}) = #year (civil days)
  fun monthNumber (At {days, ...}) = #month (civil days)
  fun month date = Vector.sub (months, monthNumber date)
  fun day (At {days, ...}) = #day (civil days)
  fun hour (At {second, ...}) = second div 3600
  fun minute (At {second, ...}) = second div 60 mod 60
  fun second (At {second, ...}) = second mod 60
  (* The first day of 1970 was a Thursday. *)
  fun weekdayNumber (At {days, ...}) = (days + 3) mod 7
  fun weekDay date = Vector.sub (weekdays, weekdayNumber date)
  fun yearDay (date as At {days, ...}) = days - daysOf (year date, 0, 1)
  fun offset (At {offset, ...}) = Option.map time offset
  fun localOffset () = time (~ (Core.System.localOffset (seconds (Time.now ()))) mod 86400)
  fun fromTimeUniv t = ofSeconds (seconds t, SOME 0)
  fun fromTimeLocal t = ofSeconds (seconds t + Core.System.localOffset (seconds t), NONE)
  (* Also works for dates that are too far away for a time. *)
  fun secondsOf (At {days, second, offset}) =
    let val s = days * 86400 + second
    in
      case offset of
        SOME west => s + west
      | NONE =>
          (* Looks up the offset again at the time that the first guess gives. *)
          let val guess = s - Core.System.localOffset s
          in s - Core.System.localOffset guess
          end
    end
  fun toTime date = time (secondsOf date)

  (* A date with a fixed offset has no summer time. *)
  fun isDst (At {offset = SOME _, ...}) = SOME false
    | isDst date =
        case Core.System.isDst (secondsOf date) of
          0 => SOME false
        | 1 => SOME true
        | _ => NONE
  fun zone (At {offset = SOME 0, ...}) = "UTC"
    | zone (At {offset = SOME _, ...}) = ""
    | zone date = Core.System.zone (secondsOf date)

  fun compare (At a, At b) =
    case Int.compare (#days a, #days b) of
      EQUAL => Int.compare (#second a, #second b)
    | other => other

  fun two n = StringCvt.padLeft #"0" 2 (Int.toString n)

  fun fmt format date =
    let
      val n = size format
      (* Returns the week of the year, if weeks start this number of days after Monday. *)
      fun week start = (yearDay date + 7 - (weekdayNumber date - start) mod 7) div 7
      fun field c =
        case c of
          #"a" => Vector.sub (weekdayNames, weekdayNumber date)
        | #"A" => Vector.sub (longWeekdayNames, weekdayNumber date)
        | #"b" => Vector.sub (monthNames, monthNumber date)
        | #"B" => Vector.sub (longMonthNames, monthNumber date)
        | #"c" => fmt "%a %b %d %H:%M:%S %Y" date
        | #"d" => two (day date)
        | #"H" => two (hour date)
        | #"I" => two ((hour date + 11) mod 12 + 1)
        | #"j" => StringCvt.padLeft #"0" 3 (Int.toString (yearDay date + 1))
        | #"m" => two (monthNumber date + 1)
        | #"M" => two (minute date)
        | #"p" => if hour date < 12 then "AM" else "PM"
        | #"S" => two (second date)
        | #"U" => two (week 6)
        | #"w" => Int.toString ((weekdayNumber date + 1) mod 7)
        | #"W" => two (week 0)
        | #"x" => fmt "%m/%d/%y" date
        | #"X" => fmt "%H:%M:%S" date
        | #"y" => two (year date mod 100)
        | #"Y" => Int.toString (year date)
        | #"Z" => zone date
        | #"%" => "%"
        | c => str c
      fun go (i, parts) =
        if i >= n then concat (rev parts)
        else
          case String.sub (format, i) of
            #"%" => if i + 1 < n then go (i + 2, field (String.sub (format, i + 1)) :: parts) else go (n, parts)
          | c => go (i + 1, str c :: parts)
    in
      go (0, nil)
    end

  fun toString date = fmt "%a %b %d %H:%M:%S %Y" date

  exception Not

  fun scan getc cs =
    let
      fun char f cs =
        case getc cs of
          SOME (c, rest) => if f c then (c, rest) else raise Not
        | NONE => raise Not
      fun letters (0, cs, l) = (implode (rev l), cs)
        | letters (n, cs, l) =
            let val (c, rest) = char Char.isAlpha cs
            in letters (n - 1, rest, c :: l)
            end
      fun number (0, cs, n) = (n, cs)
        | number (k, cs, n) =
            let val (c, rest) = char Char.isDigit cs
            in number (k - 1, rest, n * 10 + Digits.value c)
            end
      fun past c cs = #2 (char (fn c' => c = c') cs)
      fun index (name, names) =
        case Vector.findi (fn (_, n) => n = name) names of
          SOME (i, _) => i
        | NONE => raise Not
      val (weekday, cs) = letters (3, StringCvt.skipWS getc cs, nil)
      val _ = index (weekday, weekdayNames)
      val (month, cs) = letters (3, past #" " cs, nil)
      val month = index (month, monthNames)
      val cs = past #" " cs
      val (day, cs) =
        case getc cs of
          SOME (#" ", rest) => number (1, rest, 0)
        | _ => number (2, cs, 0)
      val (hour, cs) = number (2, past #" " cs, 0)
      val (minute, cs) = number (2, past #":" cs, 0)
      val (second, cs) = number (2, past #":" cs, 0)
      val (year, cs) = number (4, past #" " cs, 0)
    in
      SOME
        ( date
            { year = year, month = Vector.sub (months, month), day = day, hour = hour, minute = minute
            , second = second, offset = NONE }
        , cs )
    end
    handle Not => NONE

  fun fromString s = StringCvt.scanString scan s
end
