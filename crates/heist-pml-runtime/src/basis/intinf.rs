//! Integers of any size (`IntInf`). Small numbers are immediates, so arithmetic on them allocates no objects.

use num_bigint::{BigInt, Sign};
use num_integer::Integer;
use num_traits::Signed;

use super::strings::order;
use crate::state::worker::Worker;
use crate::value::exn::BuiltinExn;
use crate::value::object::Value;

/// Maximum number of bits of a number. An operation with a larger result raises Size, instead of filling the memory.
const MAX_BITS: u64 = 1 << 33;

/// Returns the number that a value represents.
///
/// # Safety
/// `value` must be an IntInf.
pub(super) unsafe fn number(value: Value) -> BigInt {
    if value.is_immediate() {
        return BigInt::from(value.number());
    }
    // SAFETY: an IntInf that is not an immediate is an object with a sign as its tag and a magnitude as its bytes. Nothing is collected
    // before `number` has copied these.
    unsafe {
        let sign = if value.header().tag() == 1 {
            Sign::Minus
        } else {
            Sign::Plus
        };
        // `from_bytes_le` of the library handles each byte by itself, so the conversion would take longer than an addition.
        let chunks = value.bytes().chunks_exact(4);
        let mut last = [0; 4];
        last[..chunks.remainder().len()].copy_from_slice(chunks.remainder());
        let whole =
            chunks.map(|chunk| u32::from_le_bytes([chunk[0], chunk[1], chunk[2], chunk[3]]));
        BigInt::new(sign, whole.chain([u32::from_le_bytes(last)]).collect())
    }
}

fn both_small(a: Value, b: Value) -> bool {
    a.is_immediate() && b.is_immediate()
}

/// Returns the value for a number that may be too large for an immediate.
///
/// # Safety
/// `worker` must be the running worker.
pub(super) unsafe fn small(worker: *mut Worker, number: i64) -> Value {
    if (-1 << 62..1 << 62).contains(&number) {
        Value::immediate(number)
    } else {
        // SAFETY: `worker` is the running worker, and the call came through a thunk, so making the result may collect. No address of an
        // object is in use.
        unsafe { (*worker).intinf(&BigInt::from(number)) }
    }
}

macro_rules! binary {
    ($(#[$doc:meta])* $name:ident, $a:ident, $b:ident, $small:expr, $large:expr) => {
        $(#[$doc])*
        ///
        /// # Safety
        /// `a` and `b` must be IntInfs, and `worker` must be the running worker.
        pub unsafe extern "C" fn $name(worker: *mut Worker, a: Value, b: Value) -> Value {
            // SAFETY: `worker` is the running worker, and the call came through a thunk, so making the result may collect. `a` and `b` are
            // IntInfs, and are copied before the result is made.
            unsafe {
                if both_small(a, b) {
                    let ($a, $b) = (a.number(), b.number());
                    if let Some(result) = $small {
                        return small(worker, result);
                    }
                }
                let ($a, $b) = (number(a), number(b));
                (*worker).intinf(&$large)
            }
        }
    };
}

binary!(/** `a + b` */ add, a, b, Some(a + b), a + b);
binary!(/** `a - b` */ sub, a, b, Some(a - b), a - b);
binary!(/** Bitwise and. */ and, a, b, Some(a & b), a & b);
binary!(/** Bitwise or. */ or, a, b, Some(a | b), a | b);
binary!(/** Bitwise exclusive or. */ xor, a, b, Some(a ^ b), a ^ b);

/// Returns the number of bits of a number's magnitude.
///
/// # Safety
/// `value` must be an IntInf.
pub(super) unsafe fn bits(value: Value) -> u64 {
    if value.is_immediate() {
        return u64::from(u64::BITS - value.number().unsigned_abs().leading_zeros());
    }
    // SAFETY: an IntInf that is not an immediate is an object with its magnitude as its bytes, of which the last is not 0. Nothing
    // allocates meanwhile.
    let bytes = unsafe { value.bytes() };
    let last = bytes.last().map_or(0, |last| last.leading_zeros());
    bytes.len() as u64 * 8 - u64::from(last)
}

/// Returns the result of `compute` for the given numbers. The caller must ensure that the result has at most `bits` bits. Raises Size if
/// the result is too large.
///
/// # Safety
/// The values must be IntInfs, `worker` must be the running worker, and a thunk must have made the call.
unsafe fn grown<const N: usize>(
    worker: *mut Worker,
    bits: u64,
    values: [Value; N],
    compute: impl FnOnce([BigInt; N]) -> BigInt,
) -> Value {
    // SAFETY: `worker` is the running worker, and the call came through a thunk, so both the loan and making the result may collect. The
    // values are IntInfs, are read at their current addresses after the loan, and are copied before the result is made.
    unsafe {
        // A product may have one bit less than the sum of its factors' bits.
        if bits > MAX_BITS + 1 {
            (*worker).raise(BuiltinExn::Size);
            return Value::immediate(0);
        }
        let (loan, values) = (*worker).lend(bits.div_ceil(8) as usize, values);
        let result = compute(values.map(|value| number(value)));
        (*worker).repay(loan);
        if result.bits() > MAX_BITS {
            (*worker).raise(BuiltinExn::Size);
            return Value::immediate(0);
        }
        (*worker).intinf(&result)
    }
}

/// Returns `a * b`, or raises Size.
///
/// # Safety
/// `a` and `b` must be IntInfs, and `worker` must be the running worker.
pub unsafe extern "C" fn mul(worker: *mut Worker, a: Value, b: Value) -> Value {
    // SAFETY: `worker` is the running worker, and the call came through a thunk. `a` and `b` are IntInfs, and nothing is collected before
    // `grown` gets them.
    unsafe {
        if both_small(a, b)
            && let Some(result) = a.number().checked_mul(b.number())
        {
            return small(worker, result);
        }
        let zero = Value::immediate(0);
        if a == zero || b == zero {
            return zero;
        }
        grown(worker, bits(a) + bits(b), [a, b], |[a, b]| a * b)
    }
}

macro_rules! division {
    ($(#[$doc:meta])* $name:ident, $a:ident, $b:ident, $small:expr, $large:expr) => {
        $(#[$doc])*
        ///
        /// # Safety
        /// `a` and `b` must be IntInfs, and `worker` must be the running worker.
        pub unsafe extern "C" fn $name(worker: *mut Worker, a: Value, b: Value) -> Value {
            // SAFETY: `worker` is the running worker, and the call came through a thunk, so making the result may collect. `a` and `b` are
            // IntInfs, and are copied before the result is made. The quotient of two small numbers cannot overflow.
            unsafe {
                if b == Value::immediate(0) {
                    (*worker).raise(BuiltinExn::Div);
                    return b;
                }
                if both_small(a, b) {
                    let ($a, $b) = (a.number(), b.number());
                    return small(worker, $small);
                }
                let ($a, $b) = (number(a), number(b));
                (*worker).intinf(&$large)
            }
        }
    };
}

division!(/** The quotient, rounded down. */ div, a, b, Integer::div_floor(&a, &b), a.div_floor(&b));
division!(/** The remainder of `div`. */ modulo, a, b, Integer::mod_floor(&a, &b), a.mod_floor(&b));
division!(/** The quotient, rounded to zero. */ quot, a, b, a / b, a / b);
division!(/** The remainder of `quot`. */ rem, a, b, a % b, a % b);

/// Returns `~a`.
///
/// # Safety
/// `a` must be an IntInf, and `worker` must be the running worker.
pub unsafe extern "C" fn neg(worker: *mut Worker, a: Value) -> Value {
    // SAFETY: `worker` is the running worker, and the call came through a thunk, so making the result may collect. `a` is an IntInf, and is
    // copied before the result is made.
    unsafe {
        if a.is_immediate() {
            small(worker, -a.number())
        } else {
            (*worker).intinf(&-number(a))
        }
    }
}

/// `rt.IntInf.eq`: returns 1 if two numbers are equal, otherwise 0.
///
/// # Safety
/// `a` and `b` must be IntInfs.
pub unsafe extern "C" fn equal(_: *mut Worker, a: Value, b: Value) -> i64 {
    // SAFETY: both are IntInfs and no immediates, so they are objects with tags and bytes. Nothing allocates, so the objects do not move.
    // Each number has only one representation.
    let same = a == b
        || (!a.is_immediate()
            && !b.is_immediate()
            && unsafe { a.header().tag() == b.header().tag() && a.bytes() == b.bytes() });
    i64::from(same)
}

/// Compares two IntInfs. Returns a negative number, 0 or a positive number.
///
/// # Safety
/// `a` and `b` must be IntInfs.
pub unsafe extern "C" fn compare(_: *mut Worker, a: Value, b: Value) -> i64 {
    if both_small(a, b) {
        return order(a.number().cmp(&b.number()));
    }
    // SAFETY: both are IntInfs, and `number` copies one after the other. The copies are on Rust's own heap, so nothing is collected.
    order(unsafe { number(a).cmp(&number(b)) })
}

/// Returns `a` to a positive power.
///
/// # Safety
/// `a` must be an IntInf, and `worker` must be the running worker.
pub unsafe extern "C" fn pow(worker: *mut Worker, a: Value, n: i64) -> Value {
    // SAFETY: `worker` is the running worker, and the call came through a thunk, so making the result may collect. `a` is an IntInf, and is
    // copied before the result is made. The function returns `a` itself only if it has allocated nothing.
    unsafe {
        // Every power of 0, 1 and -1 is small.
        if bits(a) <= 1 {
            let even = n % 2 == 0;
            return if even && a.number() < 0 {
                Value::immediate(1)
            } else {
                a
            };
        }
        match u32::try_from(n) {
            Ok(n) if (bits(a) - 1).saturating_mul(u64::from(n)) <= MAX_BITS => {
                // `most` is an upper bound on the number of bits of the power. Even if `most` is larger than the limit, the power itself
                // may be small enough.
                let each = if a.is_immediate() {
                    (a.number().unsigned_abs() as f64).log2()
                } else {
                    bits(a) as f64
                };
                let most = (each * f64::from(n)) as u64 + 2;
                grown(worker, most.min(MAX_BITS + 1), [a], |[a]| a.pow(n))
            }
            _ => {
                (*worker).raise(BuiltinExn::Size);
                a
            }
        }
    }
}

/// Returns the binary logarithm of a positive number, rounded down.
///
/// # Safety
/// `a` must be an IntInf.
pub unsafe extern "C" fn log2(_: *mut Worker, a: Value) -> i64 {
    // SAFETY: `a` is an IntInf.
    unsafe { bits(a) as i64 - 1 }
}

/// Returns `a << n`, or raises Size.
///
/// # Safety
/// `a` must be an IntInf, and `worker` must be the running worker.
pub unsafe extern "C" fn shl(worker: *mut Worker, a: Value, n: u64) -> Value {
    // SAFETY: `worker` is the running worker, and the call came through a thunk, so making the result may collect. `a` is an IntInf, and is
    // copied before the result is made. The function returns `a` itself only if it has allocated nothing.
    unsafe {
        if a == Value::immediate(0) {
            return a;
        }
        let most = bits(a).saturating_add(n);
        if most > MAX_BITS {
            (*worker).raise(BuiltinExn::Size);
            return a;
        }
        grown(worker, most, [a], |[a]| a << n)
    }
}

/// Returns `a ~>> n`.
///
/// # Safety
/// `a` must be an IntInf, and `worker` must be the running worker.
pub unsafe extern "C" fn sar(worker: *mut Worker, a: Value, n: u64) -> Value {
    // SAFETY: `worker` is the running worker, and the call came through a thunk, so making the result may collect. `a` is an IntInf, and is
    // copied before the result is made.
    unsafe {
        if a.is_immediate() {
            return Value::immediate(a.number() >> n.min(63));
        }
        let number = number(a);
        if n >= number.bits() {
            return Value::immediate(if number.is_negative() { -1 } else { 0 });
        }
        (*worker).intinf(&(number >> n))
    }
}

#[cfg(test)]
mod tests {
    use num_traits::{ToPrimitive, Zero};

    use super::super::conversions::{to_real, to_word};
    use super::*;
    use crate::state::options::Options;

    /// Numbers around the limits of immediates and of words.
    fn numbers() -> Vec<BigInt> {
        let mut all: Vec<BigInt> = [0, 1, 2, 3, 7, 255, 1 << 31]
            .into_iter()
            .map(BigInt::from)
            .collect();
        for bits in [61, 62, 63, 64, 65, 127, 200] {
            for by in -2..=2 {
                all.push((BigInt::from(1) << bits) + by);
            }
        }
        let negative: Vec<BigInt> = all.iter().map(|number| -number).collect();
        all.extend(negative);
        all
    }

    #[test]
    fn arithmetic_agrees_with_large_numbers() {
        let mut worker = Worker::new(Options {
            heap: 64 << 20,
            stack: 1 << 20,
            stress: true,
            ..Options::default()
        })
        .unwrap();
        let worker = &raw mut *worker;
        type Binary = unsafe extern "C" fn(*mut Worker, Value, Value) -> Value;
        type Expected = fn(&BigInt, &BigInt) -> BigInt;
        let operations: [(Binary, Expected); 10] = [
            (add, |a, b| a + b),
            (sub, |a, b| a - b),
            (mul, |a, b| a * b),
            (and, |a, b| a & b),
            (or, |a, b| a | b),
            (xor, |a, b| a ^ b),
            (div, |a, b| a.div_floor(b)),
            (modulo, |a, b| a.mod_floor(b)),
            (quot, |a, b| a / b),
            (rem, |a, b| a % b),
        ];
        // SAFETY: the worker is this test's, and values are used before the next one is made, or held.
        unsafe {
            for a in numbers() {
                for b in numbers() {
                    let x = (*worker).intinf(&a);
                    let first = (*worker).hold(x);
                    let y = (*worker).intinf(&b);
                    let y = (*worker).hold(y);
                    let pair = |worker: *mut Worker| ((*worker).held(first), (*worker).held(y));
                    for (index, (operation, expected)) in operations.iter().enumerate() {
                        if index >= 6 && b.is_zero() {
                            continue;
                        }
                        let (x, y) = pair(worker);
                        let result = operation(worker, x, y);
                        let expected = expected(&a, &b);
                        assert_eq!(number(result), expected, "{a} {index} {b}");
                        // Each number has only one representation.
                        let small = crate::value::object::intinf(&expected).is_ok();
                        assert_eq!(result.is_immediate(), small);
                    }
                    let (x, y) = pair(worker);
                    assert_eq!(compare(worker, x, y), order(a.cmp(&b)));
                    assert_eq!(equal(worker, x, y), i64::from(a == b));
                    (*worker).release(first);
                }
                let x = (*worker).intinf(&a);
                assert_eq!(bits(x), a.bits());
                // The last of these powers takes a loan.
                for n in [1, 2, 3, 5_000] {
                    if n > 3 && !(60..70).contains(&a.bits()) {
                        continue;
                    }
                    let x = (*worker).intinf(&a);
                    assert_eq!(number(pow(worker, x, n)), a.pow(n as u32), "{a} {n}");
                }
                let x = (*worker).intinf(&a);
                assert_eq!(
                    BigInt::from(to_word(worker, x)),
                    a.mod_floor(&(BigInt::from(1) << 64))
                );
                assert_eq!(to_real(worker, x), a.to_f64().unwrap());
                let shifted = sar(worker, x, 61);
                assert_eq!(number(shifted), &a >> 61);
                let x = (*worker).intinf(&a);
                let shifted = shl(worker, x, 5);
                assert_eq!(number(shifted), &a << 5);
                let x = (*worker).intinf(&a);
                let negated = neg(worker, x);
                assert_eq!(number(negated), -&a);
            }
        }
    }
}
