//! Functions of the C library for the structure `Math`.

use crate::state::worker::Worker;

macro_rules! unary {
    ($($name:ident)*) => {
        $(
            /// Computes the function of the C library that has this name.
            pub extern "C" fn $name(_: *mut Worker, a: f64) -> f64 {
                a.$name()
            }
        )*
    };
}

unary! { sin cos tan asin acos atan exp ln log10 sinh cosh tanh }

/// Returns the angle of a point.
pub extern "C" fn atan2(_: *mut Worker, a: f64, b: f64) -> f64 {
    a.atan2(b)
}

/// Returns `a` to the power `b`. Unlike in C, the result is NaN if `a` is 1 or -1 and `b` is infinite or NaN.
pub extern "C" fn pow(_: *mut Worker, a: f64, b: f64) -> f64 {
    if a.abs() == 1.0 && !b.is_finite() {
        f64::NAN
    } else {
        a.powf(b)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_of_one_are_as_the_basis_says() {
        let pow = |a, b| pow(std::ptr::null_mut(), a, b);
        assert!(pow(1.0, f64::INFINITY).is_nan() && pow(-1.0, f64::NEG_INFINITY).is_nan());
        assert!(pow(1.0, f64::NAN).is_nan());
        assert_eq!((pow(f64::NAN, 0.0), pow(2.0, 10.0)), (1.0, 1024.0));
    }
}
