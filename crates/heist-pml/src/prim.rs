//! Primitives: operations that files of the Basis name by `_prim "name" : type`, and that code generation implements.
//!
//! There are two kinds of primitives. Primitives of the first kind become a few instructions in place, and this file lists them. Primitives
//! of the second kind ([`Prim::Runtime`]) are functions of the runtime, and `runtime::entry::table` lists them. The compiler checks only the
//! number of words in a primitive's type, because it trusts the Basis.
//!
//! Most primitives have preconditions (for example on bounds) that they do not test. The Basis must test these conditions before it uses
//! the primitive.

pub use crate::runtime::value::effect::Effect;
pub use crate::runtime::value::exn::BuiltinExn;

use crate::basis::sized;
use crate::symbol::Symbol;

macro_rules! prims {
    ($($(#[$doc:meta])* $variant:ident $name:literal $effect:ident;)*) => {
        /// A primitive.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Prim {
            $($(#[$doc])* $variant,)*
            /// The operand itself, if it fits in a signed integer of the given number of bits (1 to 63). Otherwise raises Overflow.
            IntCheck(u8),
            /// The given number (1 to 63) of low bits of the operand, zero-extended.
            WordLow(u8),
            /// The given number (1 to 63) of low bits of the operand, sign-extended.
            WordSign(u8),
            /// A function of the runtime. The field is the function's number in `runtime::entry::table`.
            Runtime(u16),
        }

        const INLINE: &[(&str, Prim, Effect)] = &[$(($name, Prim::$variant, Effect::$effect),)*];
    };
}

prims! {
    // Operations on integers of 64 bits, which raise Overflow.
    /// The integer `a + b`; raises Overflow.
    IntAdd "Int.add" Raise;
    /// The integer `a - b`; raises Overflow.
    IntSub "Int.sub" Raise;
    /// The integer `a * b`; raises Overflow.
    IntMul "Int.mul" Raise;
    /// The integer `~a`; raises Overflow.
    IntNeg "Int.neg" Raise;
    /// The quotient of integers, rounded down; raises Div and Overflow.
    IntDiv "Int.div" Raise;
    /// The remainder of [`IntDiv`](Self::IntDiv).
    IntMod "Int.mod" Raise;
    /// The quotient of integers, rounded to zero; raises Div and Overflow.
    IntQuot "Int.quot" Raise;
    /// The remainder of [`IntQuot`](Self::IntQuot); raises Div.
    IntRem "Int.rem" Raise;
    // Comparisons of all signed integers.
    /// Whether `a < b`, for signed integers.
    IntLt "Int.lt" Pure;
    /// Whether `a <= b`, for signed integers.
    IntLe "Int.le" Pure;
    /// Whether `a > b`, for signed integers.
    IntGt "Int.gt" Pure;
    /// Whether `a >= b`, for signed integers.
    IntGe "Int.ge" Pure;
    /// Whether `a = b`, for integers, words and characters.
    IntEq "Int.eq" Pure;
    /// Whether `a <> b`, for integers, words and characters.
    IntNe "Int.ne" Pure;

    // Operations on words of 64 bits, and on integers that wrap round.
    /// The word `a + b`, which wraps round.
    WordAdd "Word.add" Pure;
    /// The word `a - b`, which wraps round.
    WordSub "Word.sub" Pure;
    /// The word `a * b`, which wraps round.
    WordMul "Word.mul" Pure;
    /// The quotient of words; raises Div.
    WordDiv "Word.div" Raise;
    /// The remainder of words; raises Div.
    WordMod "Word.mod" Raise;
    /// Bitwise and.
    WordAnd "Word.andb" Pure;
    /// Bitwise or.
    WordOr "Word.orb" Pure;
    /// Bitwise exclusive or.
    WordXor "Word.xorb" Pure;
    /// Bitwise not.
    WordNot "Word.notb" Pure;
    /// The word with its bytes in reverse order.
    WordSwap "Word.swap" Pure;
    /// The shift `<<`. The result is 0 for counts of 64 and more.
    WordShl "Word.shl" Pure;
    /// The shift `>>`. The result is 0 for counts of 64 and more.
    WordShr "Word.shr" Pure;
    /// The shift `~>>`. For counts of 64 and more, each bit of the result is the sign bit.
    WordSar "Word.sar" Pure;
    /// Whether `a < b`, for unsigned words.
    WordLt "Word.lt" Pure;
    /// Whether `a <= b`, for unsigned words.
    WordLe "Word.le" Pure;
    /// Whether `a > b`, for unsigned words.
    WordGt "Word.gt" Pure;
    /// Whether `a >= b`, for unsigned words.
    WordGe "Word.ge" Pure;
    /// The signed quotient, rounded to zero. The operation wraps round, and raises Div (`div` of the Manticore dialect).
    WrapQuot "Wrap.quot" Raise;
    /// The remainder of [`WrapQuot`](Self::WrapQuot), or 0 if the divisor is 0: the dialect's `mod` does not raise.
    WrapRem "Wrap.rem" Pure;

    // Doubles.
    /// The real `a + b`.
    RealAdd "Real.add" Pure;
    /// The real `a - b`.
    RealSub "Real.sub" Pure;
    /// The real `a * b`.
    RealMul "Real.mul" Pure;
    /// The real `a / b`.
    RealDiv "Real.div" Pure;
    /// The real `~a`.
    RealNeg "Real.neg" Pure;
    /// The real `|a|`.
    RealAbs "Real.abs" Pure;
    /// The square root of a real.
    RealSqrt "Real.sqrt" Pure;
    /// The real rounded down to an integral value.
    RealFloor "Real.floor" Pure;
    /// The real rounded up to an integral value.
    RealCeil "Real.ceil" Pure;
    /// The real rounded towards zero to an integral value.
    RealTrunc "Real.trunc" Pure;
    /// The real rounded to the nearest integral value, with ties to even.
    RealNearest "Real.nearest" Pure;
    /// The smaller of two numbers. If one operand is NaN, the result is the other operand.
    RealMin "Real.min" Pure;
    /// The larger of two numbers. If one operand is NaN, the result is the other operand.
    RealMax "Real.max" Pure;
    /// Whether `a < b`, for reals.
    RealLt "Real.lt" Pure;
    /// Whether `a <= b`, for reals.
    RealLe "Real.le" Pure;
    /// Whether `a > b`, for reals.
    RealGt "Real.gt" Pure;
    /// Whether `a >= b`, for reals.
    RealGe "Real.ge" Pure;
    /// The comparison `==` of reals.
    RealEq "Real.eq" Pure;
    /// The comparison `!=` of reals.
    RealNe "Real.ne" Pure;
    /// Converts a signed integer to a real.
    RealFromInt "Real.fromInt" Pure;
    /// Converts a real to a signed integer, rounded towards zero. The result is unspecified if the integer does not fit in 64 bits.
    RealToInt "Real.toInt" Pure;
    /// Rounds a real to a single-precision number.
    RealToSingle "Real.toSingle" Pure;
    /// The sum of two single-precision numbers, rounded to single precision.
    SingleAdd "Single.add" Pure;
    /// The difference of two single-precision numbers, rounded to single precision.
    SingleSub "Single.sub" Pure;
    /// The product of two single-precision numbers, rounded to single precision.
    SingleMul "Single.mul" Pure;
    /// The quotient of two single-precision numbers, rounded to single precision.
    SingleDiv "Single.div" Pure;
    /// The bits of a real, as a word.
    RealBits "Real.bits" Pure;
    /// The real with the bits of a word.
    RealOfBits "Real.ofBits" Pure;

    // Equality at any type that admits it, expanded by `lower`.
    /// The comparison `=` of two values of any type with equality.
    PolyEq "Poly.eq" Pure;
    /// The comparison `<>` of two values of any type with equality.
    PolyNe "Poly.ne" Pure;
    /// Whether two objects are identical.
    Same "Poly.same" Pure;

    // References. They are objects of one field.
    /// Makes a reference (`ref`).
    RefNew "Ref.new" Alloc;
    /// Returns the contents of a reference (`!`).
    RefGet "Ref.get" Read;
    /// Assigns to a reference (`:=`).
    RefSet "Ref.set" Write;

    // Arrays and vectors (the same objects). Indices are not checked.
    /// `array (n, x)`. The Basis has checked `n`.
    ArrayNew "Array.new" Alloc;
    /// A new array of a given length, without initial elements. The program writes each element before it reads the element. The Basis has
    /// checked the length.
    ArrayBlank "Array.blank" Alloc;
    /// A new array of a given length. The program may move elements that it has not written. `lower` replaces this primitive by
    /// [`ArrayNew`](Self::ArrayNew) or [`ArrayBlank`](Self::ArrayBlank).
    ArrayUnset "Array.unset" Alloc;
    /// The length of an array.
    ArrayLength "Array.length" Pure;
    /// Returns an element of an array (`sub`).
    ArrayGet "Array.get" Read;
    /// Assigns to an element of an array (`update`).
    ArraySet "Array.set" Write;
    /// Compare-and-swap of a reference, the first operand: stores the third operand if the reference contains the second operand. Returns
    /// the previous value.
    RefSwap "Ref.swap" Any;
    /// Adds an integer to the contents of a reference. Returns the previous contents.
    RefFetchAdd "Ref.fetchAdd" Any;
    /// [`RefSwap`](Self::RefSwap) for an element of an array. The second operand is the index.
    ArraySwap "Array.swap" Any;
    /// [`RefFetchAdd`](Self::RefFetchAdd) for an element of an array. The second operand is the index.
    ArrayFetchAdd "Array.fetchAdd" Any;
    /// `update` for an array that the program fills. No other strand reads the element before [`ArraySettle`](Self::ArraySettle), or before
    /// the writing strand ends.
    ArrayFill "Array.fill" Write;
    /// Settles an array. After this operation, other strands may read the elements that this strand has stored with
    /// [`ArrayFill`](Self::ArrayFill).
    ArraySettle "Array.settle" Any;
    /// The length of a vector.
    VectorLength "Vector.length" Pure;
    /// Returns an element of a vector (`sub`).
    VectorGet "Vector.get" Pure;
    /// Converts an array to a vector, which is the same object. The program does not write the array afterwards.
    VectorOfArray "Vector.ofArray" Pure;

    // Bytes and strings (the same objects). Indices are not checked.
    /// The length of a string or of bytes.
    StringSize "String.size" Pure;
    /// A byte of a string.
    StringGet "String.get" Pure;
    /// New bytes of a given length, all 0. The Basis has checked the length.
    BytesNew "Bytes.new" Alloc;
    /// Reads a byte.
    BytesGet "Bytes.get" Read;
    /// Writes a byte.
    BytesSet "Bytes.set" Write;
    /// Reads two bytes, with the lowest byte first.
    BytesGet16 "Bytes.get16" Read;
    /// Reads four bytes, with the lowest byte first.
    BytesGet32 "Bytes.get32" Read;
    /// Reads eight bytes, with the lowest byte first.
    BytesGet64 "Bytes.get64" Read;
    /// Writes the two lowest bytes of a word, with the lowest byte first.
    BytesSet16 "Bytes.set16" Write;
    /// Writes the four lowest bytes of a word, with the lowest byte first.
    BytesSet32 "Bytes.set32" Write;
    /// Writes the eight bytes of a word, with the lowest byte first.
    BytesSet64 "Bytes.set64" Write;
    /// Converts bytes to a string, which is the same object. The program does not write the bytes afterwards.
    StringOfBytes "String.ofBytes" Pure;

    /// Tests whether a thread has requested the worker's attention. If the result is true, the program calls `Par.attend`.
    ParAsked "Par.asked" Any;
    /// Polls. Returns true if an idle worker still requests work after the poll.
    ParAttend "Par.attend" Any;
    /// Tests whether the runtime must record the lazy values that a strand computes.
    LazyRecorded "Lazy.recorded" Any;

    // Parallel forms, expanded by `lower`. Their functional operands are `fn` expressions, written in place.
    /// `speculate f`: a fork. The right side is `f ()`, and the left side is the rest of the scope. The program does not use the result of
    /// the right side.
    ParSpeculate "Par.speculate" Any;
    /// `offer f`: a fork. The right side is `f ()`, and the left side is the code up to the `take` or `drop` of this offer.
    ParOffer "Par.offer" Any;
    /// `take ()`: the value of the newest offer.
    ParTake "Par.take" Any;
    /// `drop n`: drops the newest `n` offers, because the program does not need their values. `n` is a constant.
    ParDrop "Par.drop" Any;

    /// Converts a value to another type of the same representation (`ord`, `Word.fromInt`, strings as `Word8Vector`, ...).
    Cast "cast" Pure;
    /// The name of an exception, as a string.
    ExnName "Exn.name" Pure;
    /// The origin of the exception that the enclosing handler has caught, for a report: see the runtime's `trail`. The result is 0 if the
    /// operand is not the variable of a handler.
    ExnOrigin "Exn.origin" Read;
}

impl Prim {
    /// Returns the primitive named `name`: a primitive of this file's list, or a function of the runtime.
    #[must_use]
    pub fn by_name(name: &str) -> Option<Prim> {
        INLINE
            .iter()
            .find(|entry| entry.0 == name)
            .map(|entry| entry.1)
            .or_else(|| Prim::sized(name))
            .or_else(|| crate::runtime::entry::table::by_name(name).map(Prim::Runtime))
    }

    /// Returns the primitive with a name that ends with a number of bits, such as `Int.check5`.
    fn sized(name: &str) -> Option<Prim> {
        let bits = |word| sized::bits(name, word);
        (bits("Int.check").map(Prim::IntCheck))
            .or_else(|| bits("Word.low").map(Prim::WordLow))
            .or_else(|| bits("Word.sign").map(Prim::WordSign))
    }

    /// Returns the name of the primitive.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Prim::Runtime(number) => crate::runtime::entry::table::FUNCTIONS[number as usize].name,
            Prim::IntCheck(bits) => Symbol::new(&format!("Int.check{bits}")).as_str(),
            Prim::WordLow(bits) => Symbol::new(&format!("Word.low{bits}")).as_str(),
            Prim::WordSign(bits) => Symbol::new(&format!("Word.sign{bits}")).as_str(),
            inline => INLINE
                .iter()
                .find(|entry| entry.1 == inline)
                .map_or("?", |entry| entry.0),
        }
    }

    /// Returns the possible effects of the primitive.
    #[must_use]
    pub fn effect(self) -> Effect {
        match self {
            Prim::Runtime(number) => {
                crate::runtime::entry::table::FUNCTIONS[number as usize].effect
            }
            Prim::IntCheck(_) => Effect::Raise,
            Prim::WordLow(_) | Prim::WordSign(_) => Effect::Pure,
            inline => INLINE
                .iter()
                .find(|entry| entry.1 == inline)
                .map_or(Effect::Any, |entry| entry.2),
        }
    }
}
