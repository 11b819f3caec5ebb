(* `core.sml` for Poly/ML, so that Poly/ML can run the rest of the Basis. Ints and words have 63 bits. *)
structure Prim = struct type int = int end;
structure P = struct
  structure Int = Int structure Word = Word structure Real = Real structure IntInf = IntInf structure Char = Char
  structure String = String structure Array = Array structure Vector = Vector structure CharArray = CharArray
  structure CharArraySlice = CharArraySlice structure Word8 = Word8 structure TextIO = TextIO structure OS = OS structure Byte = Byte
  structure Math = Math structure Word32 = Word structure CommandLine = CommandLine structure Time = Time
  structure StringCvt = StringCvt structure BinIO = BinIO structure List = List structure IEEEReal = IEEEReal structure Posix = Posix
  structure General = General structure LargeReal = LargeReal
end;
  functor SmallI (val precision : int) =
  struct
    structure Int = P.Int structure Word = P.Word
    fun toInt i : int = i
    fun fromInt i = let val m = Word.toInt (Word.<< (0w1, Word.fromInt (precision - 1))) in if i < ~m orelse i >= m then raise Overflow else i end
    fun a + b = fromInt (Int.+ (toInt a, toInt b))
    fun a - b = fromInt (Int.- (toInt a, toInt b))
    fun a * b = fromInt (Int.* (toInt a, toInt b))
    fun ~ a = fromInt (Int.~ (toInt a))
    fun abs a = fromInt (Int.abs (toInt a))
    fun a div b = fromInt (Int.div (toInt a, toInt b))
    fun a mod b = fromInt (Int.mod (toInt a, toInt b))
    fun quot (a, b) = fromInt (Int.quot (toInt a, toInt b))
    fun rem (a, b) = fromInt (Int.rem (toInt a, toInt b))
    val op < = Int.<
    val op <= = Int.<=
    val op > = Int.>
    val op >= = Int.>=
    val precision = precision
  end
;
structure Core =
struct
  local open P in
  type int = int
  type word = word
  type real = real
  type int8 = int
  type int16 = int
  type int32 = int
  type intinf = IntInf.int
  type word8 = Word8.word
  type word16 = word
  type word32 = word
  type bytes = CharArray.array
  type float = real

  exception Io of {name : string, function : string, cause : exn}
  exception SysErr of string * int option
  exception Unordered
  val exnName = exnName

  structure Int =
  struct
    open Int
    val toWord = Word.fromInt
    val add = Int.+
    val sub = Int.-
    val precision = 63
    val minInt = valOf Int.minInt
    val maxInt = valOf Int.maxInt
    fun within (i, n) = i >= 0 andalso i < n
  end
  structure Word =
  struct
    open Word
    val shl = << val shr = >> val sar = ~>>
    fun low n w = andb (w, << (0w1, n) - 0w1)
    fun sign n w = ~>> (<< (w, Word.fromInt wordSize - n), Word.fromInt wordSize - n)
    val low8 = low 0w8 val low16 = low 0w16 val low32 = low 0w32
    val sign8 = sign 0w8 val sign16 = sign 0w16 val sign32 = sign 0w32
  end
  structure Int8 = SmallI (val precision = 8)
  structure Int16 = SmallI (val precision = 16)
  structure Int32 = SmallI (val precision = 32)
  structure Word8 =
  struct
    open P.Word8
    val toWord = toLarge
    val fromWord = fromLarge
    val signed = toLargeX
    val toWord = Word.fromLargeWord o toLarge
    val fromWord = fromLarge o Word.toLargeWord
    val signed = Word.fromLargeWord o toLargeX
  end
  structure Word16 =
  struct
    val toWord = fn w : word => w
    val fromWord = Word.low16
    val signed = Word.sign16
    open Word
    fun a + b = fromWord (Word.+ (toWord a, toWord b))
    fun a - b = fromWord (Word.- (toWord a, toWord b))
    fun a * b = fromWord (Word.* (toWord a, toWord b))
    fun ~ a = fromWord (Word.~ (toWord a))
    val wordSize = 16
  end
  structure Word32 =
  struct
    val toWord = fn w : word => w
    val fromWord = Word.low32
    val signed = Word.sign32
    open Word
    fun a + b = fromWord (Word.+ (toWord a, toWord b))
    fun a - b = fromWord (Word.- (toWord a, toWord b))
    fun a * b = fromWord (Word.* (toWord a, toWord b))
    fun ~ a = fromWord (Word.~ (toWord a))
    val wordSize = 32
  end
  structure IntInf =
  struct
    open IntInf
    fun order (a, b) = case IntInf.compare (a, b) of LESS => ~1 | EQUAL => 0 | GREATER => 1
    val fromWord = P.Word.toLargeInt
    val toWord = P.Word.fromLargeInt
    val toReal = Real.fromLargeInt
    val fromReal = Real.toLargeInt IEEEReal.TO_NEAREST
    fun radix 2 = StringCvt.BIN | radix 8 = StringCvt.OCT | radix 16 = StringCvt.HEX | radix _ = StringCvt.DEC
    fun fmt (i, r) = IntInf.fmt (radix r) i
    fun parse (s, r) = valOf (StringCvt.scanString (IntInf.scan (radix r)) s)
    val shl = << val sar = ~>>
  end
  structure Real =
  struct
    open Real
    val sqrt = Math.sqrt
    val floor = realFloor val ceil = realCeil val trunc = realTrunc val nearest = realRound
    val toInt = Real.trunc
    val nan = abs (posInf - posInf)
    fun stepUp r = nextAfter (r, posInf)
    fun stepDown r = nextAfter (r, 0.0)
    val minNormal = minNormalPos
    val intLimit = 4611686018427387904.0
    val man = #man o toManExp
    val exp = #exp o toManExp
    fun scale (man, exp) = fromManExp {man = man, exp = exp}
    fun sci (r, n) = fmt (StringCvt.SCI (SOME n)) r
    fun fix (r, n) = fmt (StringCvt.FIX (SOME n)) r
    fun gen (r, n) = fmt (StringCvt.GEN (SOME n)) r
    fun shortest r =
      let val {digits, exp, ...} = Real.toDecimal r
      in case List.map P.Int.toString digits of d :: ds => concat ([d, "."] @ ds @ ["e", P.Int.toString (P.Int.- (exp, 1))]) | nil => "0" end
    fun parse s = valOf (Real.fromString s)
  end
  structure Math = struct open Math end
  structure Char =
  struct
    open Char
    val toByte = Byte.charToByte val fromByte = Byte.byteToChar
  end
  structure Bytes =
  struct
    fun new n = CharArray.array (n, #"\000")
    val length = CharArray.length
    val getChar = CharArray.sub
    val setChar = CharArray.update
    fun getByte (a, i) = Byte.charToByte (CharArray.sub (a, i))
    fun setByte (a, i, b) = CharArray.update (a, i, Byte.byteToChar b)
    val freeze = CharArray.vector
    fun copy (src, from, dst, to, n) = CharArraySlice.copy {src = CharArraySlice.slice (src, from, SOME n), dst = dst, di = to}
    fun copyString (src, from, dst, to, n) = CharArray.copyVec {src = String.substring (src, from, n), dst = dst, di = to}
  end
  structure String =
  struct
    open String
    fun order (a, b) = case compare (a, b) of LESS => ~1 | EQUAL => 0 | GREATER => 1
    val append = String.^
  end
  structure Array =
  struct
    val new = Array.array
    fun empty () = Array.fromList nil
    val length = Array.length val sub = Array.sub val update = Array.update val freeze = Array.vector
    val maxLen = Array.maxLen
  end
  structure Vector =
  struct
    val length = Vector.length val sub = Vector.sub
    fun empty () = Vector.fromList nil
  end
  structure ByteVector :>
  sig
    eqtype vector
    val ofString : string -> vector
    val toString : vector -> string
  end =
  struct
    type vector = string
    fun ofString s = s
    fun toString s = s
  end
  structure Io =
  struct
    datatype f = I of TextIO.instream | O of TextIO.outstream | C
    val files = ref [I TextIO.stdIn, O TextIO.stdOut, O TextIO.stdErr]
    fun add f = (files := !files @ [f]; length (!files) - 1)
    fun openFile (n, 0) = (add (I (TextIO.openIn n)) handle _ => ~2)
      | openFile (n, 1) = (add (O (TextIO.openOut n)) handle _ => ~2)
      | openFile (n, _) = (add (O (TextIO.openAppend n)) handle _ => ~2)
    fun close i = (case List.nth (!files, i) of I f => TextIO.closeIn f | O f => TextIO.closeOut f | C => (); 0)
    fun read (i, n) = case List.nth (!files, i) of I f => TextIO.input f | _ => ""
    fun readAll i = case List.nth (!files, i) of I f => TextIO.inputAll f | _ => ""
    fun write (i, s) = (case List.nth (!files, i) of O f => TextIO.output (f, s) | _ => (); 0)
    fun writeRange (i, s, a, n) = write (i, String.substring (s, a, n))
    fun writeChar (i, c) = write (i, str c)
    fun flush i = (case List.nth (!files, i) of O f => TextIO.flushOut f | _ => (); 0)
    fun bufferMode (i : int) = 2
    fun setBufferMode (i : int, m : int) = ()
    val print = print
    fun lastError () = 0
  end
  structure System =
  struct
    val argumentCount = length o CommandLine.arguments
    fun argument i = List.nth (CommandLine.arguments (), i)
    val programName = CommandLine.name
    fun exit i = OS.Process.exit (if i = 0 then OS.Process.success else OS.Process.failure) : unit
    fun environment n = case OS.Process.getEnv n of NONE => "" | SOME v => "=" ^ v
    fun errorMessage 2 = "No such file or directory" | errorMessage i = "Error " ^ Int.toString i
    fun errorName 2 = "noent" | errorName i = "E" ^ Int.toString i
    fun errorNumber "noent" = 2 | errorNumber (s : string) = 0
    fun command s = if OS.Process.isSuccess (OS.Process.system s) then 0 else 1
    fun sleep n = OS.Process.sleep (Time.fromNanoseconds (Int.toLarge n))
    fun now () = Int.fromLarge (Time.toNanoseconds (Time.now ()))
    val monotonic = now
    fun userTime () = 0
    fun systemTime () = 0
    fun collectorTime () = 0
    fun localOffset (i : int) = 0
    fun isDst (i : int) = 0
    fun zone (i : int) = "UTC"
    fun collect () = ()
  end
  structure FileSys =
  struct
    open OS.FileSys
    fun code f a = (f a; 0) handle _ => ~2
    fun text f a = f a handle _ => ""
    fun entries p = let val d = openDir p fun go l = case readDir d of NONE => concat l | SOME n => go (n :: "\000" :: l) in go nil end
    val chDir = code chDir
    val mkDir = code mkDir val rmDir = code rmDir
    fun isDir p = if OS.FileSys.isDir p then 1 else 0 handle _ => ~2
    fun isLink p = if OS.FileSys.isLink p then 1 else 0 handle _ => ~2
    fun device p = 1
    fun inode p = Word.toInt (Word.andb (OS.FileSys.hash (OS.FileSys.fileId p), 0wxffffff)) handle _ => ~2
    fun modTime p = 0
    fun setTime (p : string, t : int) = 0
    fun fileSize p = Position.toInt (OS.FileSys.fileSize p) handle _ => ~2
    val remove = code remove
    fun rename (a, b) = code OS.FileSys.rename {old = a, new = b}
    fun access (p, n : int) = if OS.FileSys.access (p, nil) then 1 else 0
  end
  end
end;
