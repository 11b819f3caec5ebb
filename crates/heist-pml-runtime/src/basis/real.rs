//! Converts reals to text and text to reals, and returns the parts of reals.

use crate::state::worker::Worker;
use crate::value::object::Value;

/// Returns a number's text with the minus sign and the exponent letter of SML.
fn sml(text: &str) -> String {
    text.replace('-', "~").replace('e', "E")
}

/// The maximum number of digits that Rust's formatting computes here; this module adds further digits as zeros. No real has more digits
/// after the point than the smallest real, which has 1,074. (Rust's formatting accepts at most 65,534 digits.)
const DIGITS: usize = 1_100;

/// A text with a run of zeros in the middle.
struct Padded {
    head: String,
    zeros: usize,
    tail: String,
}

impl Padded {
    fn text(self) -> String {
        let Padded { head, zeros, tail } = self;
        format!("{head}{}{tail}", "0".repeat(zeros))
    }

    /// Makes a string of the program with this text. Only the new string contains the run of zeros.
    ///
    /// # Safety
    /// `worker` must be the running worker, and a thunk must have made the call.
    unsafe fn string(&self, worker: *mut Worker) -> Value {
        let behind = self.head.len() + self.zeros;
        // SAFETY: `worker` is the running worker, and the call came through a thunk, so making the string may collect. The string is new,
        // has this length, and nothing allocates until its bytes are written.
        unsafe {
            let string = (*worker).new_bytes(behind + self.tail.len());
            let bytes = string.bytes_mut();
            bytes[..self.head.len()].copy_from_slice(self.head.as_bytes());
            bytes[self.head.len()..behind].fill(b'0');
            bytes[behind..].copy_from_slice(self.tail.as_bytes());
            string
        }
    }
}

fn padded_scientific(a: f64, digits: usize) -> Padded {
    let exact = digits.min(DIGITS);
    let text = sml(&format!("{a:.exact$e}"));
    let (mantissa, exponent) = text.split_at(text.find('E').unwrap_or(text.len()));
    Padded {
        head: mantissa.to_owned(),
        zeros: if exponent.is_empty() {
            0
        } else {
            digits - exact
        },
        tail: exponent.to_owned(),
    }
}

fn padded_fixed(a: f64, digits: usize) -> Padded {
    let exact = digits.min(DIGITS);
    Padded {
        head: sml(&format!("{a:.exact$}")),
        zeros: digits - exact,
        tail: String::new(),
    }
}

/// Formats a real as `d.ddE12`.
pub fn scientific(a: f64, digits: usize) -> String {
    padded_scientific(a, digits).text()
}

/// Formats a real as `ddd.dd`.
pub fn fixed(a: f64, digits: usize) -> String {
    padded_fixed(a, digits).text()
}

/// Formats a real with at most `digits` significant digits and without zeros at the end, in the usual notation. An integral value has
/// `.0` at the end.
pub fn general(a: f64, digits: usize) -> String {
    let digits = digits.clamp(1, DIGITS);
    let text = format!("{:.*e}", digits - 1, a.abs());
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let all: String = mantissa.chars().filter(|c| *c != '.').collect();
    let kept = all.trim_end_matches('0');
    let minus = if a.is_sign_negative() { "~" } else { "" };
    if kept.is_empty() {
        return format!("{minus}0.0");
    }
    // A number needs no exponent if it has at most `digits` digits before the point, or only a few zeros after the point.
    if exponent < -6 || exponent >= i32::try_from(digits).unwrap_or(i32::MAX) {
        let (first, rest) = kept.split_at(1);
        let point = if rest.is_empty() { "" } else { "." };
        return format!("{minus}{first}{point}{rest}E{}", sml(&exponent.to_string()));
    }
    if exponent < 0 {
        let zeros = "0".repeat((-exponent - 1) as usize);
        return format!("{minus}0.{zeros}{kept}");
    }
    let whole = exponent as usize + 1;
    if kept.len() <= whole {
        format!("{minus}{kept}{}.0", "0".repeat(whole - kept.len()))
    } else {
        format!("{minus}{}.{}", &kept[..whole], &kept[whole..])
    }
}

/// `rt.Real.sci`: formats a real with an exponent and `digits` digits after the point.
///
/// # Safety
/// `worker` must be the running worker.
pub unsafe extern "C" fn sci(worker: *mut Worker, a: f64, digits: i64) -> Value {
    // SAFETY: `worker` is the running worker, and the call came through a thunk.
    unsafe { padded_scientific(a, precision(digits)).string(worker) }
}

/// `rt.Real.fix`: formats a real with `digits` digits after the point.
///
/// # Safety
/// `worker` must be the running worker.
pub unsafe extern "C" fn fix(worker: *mut Worker, a: f64, digits: i64) -> Value {
    // SAFETY: `worker` is the running worker, and the call came through a thunk.
    unsafe { padded_fixed(a, precision(digits)).string(worker) }
}

/// `rt.Real.gen`: formats a real with at most `digits` digits.
///
/// # Safety
/// `worker` must be the running worker.
pub unsafe extern "C" fn gen_digits(worker: *mut Worker, a: f64, digits: i64) -> Value {
    // SAFETY: `worker` is the running worker, and the call came through a thunk, so making the string may collect. The digits are Rust's
    // own.
    unsafe { (*worker).string(general(a, precision(digits)).as_bytes()) }
}

/// Returns a number of digits for Rust's formatting. The Basis raises `Size` for results that do not fit into a string.
fn precision(digits: i64) -> usize {
    usize::try_from(digits).unwrap_or(0)
}

/// `rt.Real.shortest`: formats a real as `d.ddde~12`, with the fewest digits that distinguish it from all other reals.
///
/// # Safety
/// `worker` must be the running worker.
pub unsafe extern "C" fn shortest(worker: *mut Worker, a: f64) -> Value {
    // SAFETY: `worker` is the running worker, and the call came through a thunk, so making the string may collect. The digits are Rust's
    // own.
    unsafe { (*worker).string(format!("{a:e}").replace('-', "~").as_bytes()) }
}

/// `rt.Real.parse`: parses a real from digits, a point, and an exponent.
///
/// # Safety
/// `string` must be a string.
pub unsafe extern "C" fn parse(_: *mut Worker, string: Value) -> f64 {
    // SAFETY: `string` is a string. Nothing allocates, so the string does not move.
    let text = unsafe { string.bytes() };
    std::str::from_utf8(text)
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(f64::NAN)
}

/// Returns the remainder of `a / b`, with the quotient rounded to zero.
pub extern "C" fn rem(_: *mut Worker, a: f64, b: f64) -> f64 {
    a % b
}

/// Returns `(m, e)` with `a = m * 2^e` and `0.5 <= |m| < 1`, for a finite real that is not 0.
fn parts(a: f64) -> (f64, i64) {
    const EXPONENT: u64 = 0x7ff << 52;
    // Subnormal numbers are made normal first.
    let (a, by) = if a.is_normal() {
        (a, 0)
    } else {
        (a * 2f64.powi(54), 54)
    };
    let bits = a.to_bits();
    let exponent = (bits >> 52 & 0x7ff) as i64 - 1022 - by;
    (f64::from_bits(bits & !EXPONENT | 1022 << 52), exponent)
}

/// `rt.Real.man`: returns the mantissa of a real.
pub extern "C" fn man(_: *mut Worker, a: f64) -> f64 {
    parts(a).0
}

/// `rt.Real.exp`: returns the exponent of a real.
pub extern "C" fn exp(_: *mut Worker, a: f64) -> i64 {
    parts(a).1
}

/// Returns `a * 2^n`, rounded once, for a finite real that is not 0.
pub extern "C" fn scale(_: *mut Worker, a: f64, n: i64) -> f64 {
    let (man, exp) = parts(a);
    let n = n.saturating_add(exp).clamp(-1100, 1100) as i32;
    // Only the last step rounds.
    match n {
        1001.. => man * 2f64.powi(1000) * 2f64.powi(n - 1000),
        -1000..=1000 => man * 2f64.powi(n),
        _ => man * 2f64.powi(-1000) * 2f64.powi(n + 1000),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::options::Options;

    #[test]
    fn reals_are_written_as_poly_ml_writes_them() {
        for (a, text) in [
            (1.0, "1.0"),
            (1e30, "1E30"),
            (100_000.0, "100000.0"),
            (123_456_789_012.0, "123456789012.0"),
            (1_234_567_890_123.0, "1.23456789012E12"),
            (1e-6, "0.000001"),
            (1.5e-7, "1.5E~7"),
            (2.0 / 3.0, "0.666666666667"),
            (-0.0, "~0.0"),
            (-123.456, "~123.456"),
            (0.1 + 0.2, "0.3"),
            (999_999_999_999.9, "1E12"),
        ] {
            assert_eq!(general(a, 12), text);
        }
        assert_eq!(
            (general(1234.0, 3), general(999.0, 3)),
            ("1.23E3".into(), "999.0".into())
        );
        assert_eq!(scientific(-1234.5678e-30, 6), "~1.234568E~27");
        assert_eq!(
            (fixed(0.5, 0), fixed(2.5, 0), fixed(1e5, 3)),
            ("0".into(), "2".into(), "100000.000".into())
        );
    }

    #[test]
    fn any_number_of_digits_is_written() {
        let least = f64::from_bits(1);
        let exact = fixed(least, 1_074);
        assert!(exact.ends_with('5'));
        for digits in [1_099, 1_100, 1_101, 65_534, 65_535, 65_536, 1_000_000] {
            assert_eq!(
                fixed(-0.5, digits),
                format!("~0.5{}", "0".repeat(digits - 1))
            );
            assert_eq!(
                fixed(least, digits),
                format!("{exact}{}", "0".repeat(digits - 1_074))
            );
            let zeros = "0".repeat(digits - 2);
            assert_eq!(scientific(-1.25e-30, 2), "~1.25E~30");
            assert_eq!(scientific(125.0, digits), format!("1.25{zeros}E2"));
            assert_eq!(general(0.5, digits), "0.5");
            assert_eq!(fixed(f64::MAX, digits).len(), 309 + 1 + digits);
        }
    }

    #[test]
    fn strings_of_programs_have_the_same_digits() {
        let mut worker = Worker::new(Options {
            heap: 64 << 20,
            stack: 1 << 20,
            stress: true,
            ..Options::default()
        })
        .unwrap();
        let worker = &raw mut *worker;
        for a in [0.0, -1.25e-30, f64::MAX, f64::INFINITY] {
            for digits in [0, 1, 1_100, 1_101, 100_000] {
                // SAFETY: the worker is this test's, and each string is read before the next one is made.
                unsafe {
                    let string = sci(worker, a, digits as i64);
                    assert_eq!(string.bytes(), scientific(a, digits).as_bytes());
                    let string = fix(worker, a, digits as i64);
                    assert_eq!(string.bytes(), fixed(a, digits).as_bytes());
                }
            }
        }
    }

    #[test]
    fn parts_make_the_whole() {
        let null = std::ptr::null_mut();
        for a in [1.0, -0.75, 1e300, 5e-324, 2.2e-308, f64::MAX, -1e-310] {
            let (man, exp) = parts(a);
            assert!((0.5..1.0).contains(&man.abs()));
            assert_eq!(scale(null, man, exp), a);
        }
        assert_eq!(scale(null, 1.0, i64::MAX), f64::INFINITY);
        assert_eq!(scale(null, 1.0, i64::MIN), 0.0);
        assert_eq!(scale(null, 1.5, -1074), 1e-323);
    }
}
