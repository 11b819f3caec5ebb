//! Primitives: programs of the Basis refer to them by `_prim "name" : type`, and code generation implements them.
//!
//! There are two kinds: those that become a few instructions in place, listed here, and functions of the runtime
//! ([`Prim::Runtime`]), listed in `runtime::table`. Types of primitives are not checked beyond the number of words: the
//! Basis is trusted.
//!
//! A primitive that is not `checked` is only called where its condition was tested in the Basis (bounds, ranges).

pub use crate::runtime::effect::Effect;
pub use crate::runtime::exn::BuiltinExn;

macro_rules! prims {
    ($($(#[$doc:meta])* $variant:ident $name:literal $effect:ident;)*) => {
        /// A primitive.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Prim {
            $($(#[$doc])* $variant,)*
            /// A function of the runtime: its number in `runtime::table`.
            Runtime(u16),
        }

        const INLINE: &[(&str, Prim, Effect)] = &[$(($name, Prim::$variant, Effect::$effect),)*];
    };
}

prims! {
    // Integers of 64 bits; these raise Overflow.
    /// `a + b`
    IntAdd "Int.add" Raise;
    /// `a - b`
    IntSub "Int.sub" Raise;
    /// `a * b`
    IntMul "Int.mul" Raise;
    /// `~a`
    IntNeg "Int.neg" Raise;
    /// Rounds down; raises Div and Overflow.
    IntDiv "Int.div" Raise;
    /// The remainder of [`IntDiv`](Self::IntDiv).
    IntMod "Int.mod" Raise;
    /// Rounds to zero; raises Div and Overflow.
    IntQuot "Int.quot" Raise;
    /// The remainder of [`IntQuot`](Self::IntQuot); raises Div.
    IntRem "Int.rem" Raise;
    /// The integer, if it fits in 8 bits with sign; raises Overflow.
    IntCheck8 "Int.check8" Raise;
    /// The integer, if it fits in 16 bits with sign; raises Overflow.
    IntCheck16 "Int.check16" Raise;
    /// The integer, if it fits in 32 bits with sign; raises Overflow.
    IntCheck32 "Int.check32" Raise;
    // Comparisons of all signed integers.
    /// `a < b`
    IntLt "Int.lt" Pure;
    /// `a <= b`
    IntLe "Int.le" Pure;
    /// `a > b`
    IntGt "Int.gt" Pure;
    /// `a >= b`
    IntGe "Int.ge" Pure;
    /// `a = b`, also for words and characters
    IntEq "Int.eq" Pure;
    /// `a <> b`
    IntNe "Int.ne" Pure;

    // Words of 64 bits, and integers that wrap round.
    /// `a + b`
    WordAdd "Word.add" Pure;
    /// `a - b`
    WordSub "Word.sub" Pure;
    /// `a * b`
    WordMul "Word.mul" Pure;
    /// Unsigned; raises Div.
    WordDiv "Word.div" Raise;
    /// Unsigned; raises Div.
    WordMod "Word.mod" Raise;
    /// Bits.
    WordAnd "Word.andb" Pure;
    /// Bits.
    WordOr "Word.orb" Pure;
    /// Bits.
    WordXor "Word.xorb" Pure;
    /// Bits.
    WordNot "Word.notb" Pure;
    /// `<<`: 0 for counts of 64 and more.
    WordShl "Word.shl" Pure;
    /// `>>`: 0 for counts of 64 and more.
    WordShr "Word.shr" Pure;
    /// `~>>`: the sign for counts of 64 and more.
    WordSar "Word.sar" Pure;
    /// Unsigned.
    WordLt "Word.lt" Pure;
    /// Unsigned.
    WordLe "Word.le" Pure;
    /// Unsigned.
    WordGt "Word.gt" Pure;
    /// Unsigned.
    WordGe "Word.ge" Pure;
    /// The low 8 bits, zero-extended.
    WordLow8 "Word.low8" Pure;
    /// The low 16 bits, zero-extended.
    WordLow16 "Word.low16" Pure;
    /// The low 32 bits, zero-extended.
    WordLow32 "Word.low32" Pure;
    /// The low 8 bits, sign-extended.
    WordSign8 "Word.sign8" Pure;
    /// The low 16 bits, sign-extended.
    WordSign16 "Word.sign16" Pure;
    /// The low 32 bits, sign-extended.
    WordSign32 "Word.sign32" Pure;
    /// Signed, rounds to zero, wraps; raises Div (`div` of the Manticore dialect).
    WrapQuot "Wrap.quot" Raise;
    /// The remainder of [`WrapQuot`](Self::WrapQuot), or 0 if the divisor is 0: the dialect's `mod` does not raise.
    WrapRem "Wrap.rem" Pure;

    // Doubles.
    /// `a + b`
    RealAdd "Real.add" Pure;
    /// `a - b`
    RealSub "Real.sub" Pure;
    /// `a * b`
    RealMul "Real.mul" Pure;
    /// `a / b`
    RealDiv "Real.div" Pure;
    /// `~a`
    RealNeg "Real.neg" Pure;
    /// `|a|`
    RealAbs "Real.abs" Pure;
    /// Square root.
    RealSqrt "Real.sqrt" Pure;
    /// To an integral value, down.
    RealFloor "Real.floor" Pure;
    /// Up.
    RealCeil "Real.ceil" Pure;
    /// To zero.
    RealTrunc "Real.trunc" Pure;
    /// To the nearest, ties to even.
    RealNearest "Real.nearest" Pure;
    /// The smaller one; the other one if one is NaN.
    RealMin "Real.min" Pure;
    /// The larger one; the other one if one is NaN.
    RealMax "Real.max" Pure;
    /// `a < b`
    RealLt "Real.lt" Pure;
    /// `a <= b`
    RealLe "Real.le" Pure;
    /// `a > b`
    RealGt "Real.gt" Pure;
    /// `a >= b`
    RealGe "Real.ge" Pure;
    /// `==`
    RealEq "Real.eq" Pure;
    /// `!=`
    RealNe "Real.ne" Pure;
    /// Converts from a signed integer.
    RealFromInt "Real.fromInt" Pure;
    /// To a signed integer, rounded towards zero; unspecified if the result does not fit.
    RealToInt "Real.toInt" Pure;
    /// Rounded to a single.
    RealToSingle "Real.toSingle" Pure;
    /// The bits, as a word.
    RealBits "Real.bits" Pure;
    /// The real that has these bits.
    RealOfBits "Real.ofBits" Pure;

    // Equality at any type that admits it, expanded by `lower`.
    /// `=`
    PolyEq "Poly.eq" Pure;
    /// `<>`
    PolyNe "Poly.ne" Pure;
    /// Whether two objects are identical.
    Same "Poly.same" Pure;

    // References. They are objects of one field.
    /// `ref`
    RefNew "Ref.new" Alloc;
    /// `!`
    RefGet "Ref.get" Read;
    /// `:=`
    RefSet "Ref.set" Write;

    // Arrays and vectors (the same objects). Indices are not checked.
    /// `array (n, x)`; n was checked.
    ArrayNew "Array.new" Alloc;
    /// An array of this length whose elements are all written before one is read; the length was checked.
    ArrayBlank "Array.blank" Alloc;
    /// An array of this length whose elements the program may move before it writes them. Lowered to one of the two primitives
    /// above.
    ArrayUnset "Array.unset" Alloc;
    /// The length.
    ArrayLength "Array.length" Pure;
    /// `sub`
    ArrayGet "Array.get" Read;
    /// `update`
    ArraySet "Array.set" Write;
    /// Stores the last operand in a reference if it contains the one before. Returns the previous content.
    RefSwap "Ref.swap" Any;
    /// Adds to a reference to an integer. Returns the previous content.
    RefFetchAdd "Ref.fetchAdd" Any;
    /// `Ref.swap` of an element; the index comes second.
    ArraySwap "Array.swap" Any;
    /// `Ref.fetchAdd` of an element.
    ArrayFetchAdd "Array.fetchAdd" Any;
    /// `update` of an element of a new array, which no other strand reads before `ArraySettle` or the end of the strand that writes it.
    ArrayFill "Array.fill" Write;
    /// From here on, other strands may read the elements that this one has stored by `ArrayFill`.
    ArraySettle "Array.settle" Any;
    /// The length.
    VectorLength "Vector.length" Pure;
    /// `sub`
    VectorGet "Vector.get" Pure;
    /// Turns an array that will not be written any more into a vector.
    VectorOfArray "Vector.ofArray" Pure;

    // Bytes and strings (the same objects). Indices are not checked.
    /// The length of a string or of bytes.
    StringSize "String.size" Pure;
    /// A byte of a string.
    StringGet "String.get" Pure;
    /// New bytes of this length, all 0; the length was checked.
    BytesNew "Bytes.new" Alloc;
    /// A byte.
    BytesGet "Bytes.get" Read;
    /// Writes a byte.
    BytesSet "Bytes.set" Write;
    /// Turns bytes that will not be written any more into a string.
    StringOfBytes "String.ofBytes" Pure;

    /// Whether the worker has any request: then `Par.attend` follows.
    ParAsked "Par.asked" Any;
    /// Polls; whether an idle worker still asks for work.
    ParAttend "Par.attend" Any;
    /// Whether the runtime must know which lazy values a strand computes.
    LazyRecorded "Lazy.recorded" Any;

    // Parallel forms, expanded by `lower`. Their functions are written as such, in place.
    /// `speculate f`: a fork whose right side is `f ()`, and whose left side is the rest of the scope. Its value is not needed.
    ParSpeculate "Par.speculate" Any;
    /// `offer f`: a fork whose right side is `f ()`. Its left side is the code that follows, up to its `take` or `drop`.
    ParOffer "Par.offer" Any;
    /// `take ()`: the value of the newest offer.
    ParTake "Par.take" Any;
    /// `drop n`: the newest `n` offers are not needed. `n` is a constant.
    ParDrop "Par.drop" Any;

    /// Converts a word to another type of the same representation (ord, Word.fromInt, strings as Word8Vector, ...).
    Cast "cast" Pure;
    /// The name of an exception, a string.
    ExnName "Exn.name" Pure;
}

impl Prim {
    /// The primitive with a name: one of those above, or a function of the runtime.
    #[must_use]
    pub fn by_name(name: &str) -> Option<Prim> {
        INLINE
            .iter()
            .find(|entry| entry.0 == name)
            .map(|entry| entry.1)
            .or_else(|| crate::runtime::table::by_name(name).map(Prim::Runtime))
    }

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Prim::Runtime(number) => crate::runtime::table::FUNCTIONS[number as usize].name,
            inline => INLINE
                .iter()
                .find(|entry| entry.1 == inline)
                .map_or("?", |entry| entry.0),
        }
    }

    /// Its possible effects.
    #[must_use]
    pub fn effect(self) -> Effect {
        match self {
            Prim::Runtime(number) => crate::runtime::table::FUNCTIONS[number as usize].effect,
            inline => INLINE
                .iter()
                .find(|entry| entry.1 == inline)
                .map_or(Effect::Any, |entry| entry.2),
        }
    }
}
