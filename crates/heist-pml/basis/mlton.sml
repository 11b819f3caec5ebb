(* For programs of lists (`.mlb`), which are written for MLton or MPL: whole numbers among reals are written as MLton does, `1` and not
   `1.0`. *)

local
  fun short text =
    if String.isSuffix ".0" text then String.substring (text, 0, String.size text - 2) else text
  fun whole fmt (spec as StringCvt.GEN _) = let val write = fmt spec in fn r => short (write r) end
    | whole fmt spec = fmt spec
in
  structure Real : REAL =
  struct
    open Real
    val toString = fn r => short (toString r)
    val fmt = fn spec => whole fmt spec
  end
  structure Real64 = Real
  structure LargeReal = Real
  structure Real32 : REAL =
  struct
    open Real32
    val toString = fn r => short (toString r)
    val fmt = fn spec => whole fmt spec
  end
end
