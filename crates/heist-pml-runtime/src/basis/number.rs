//! Converts numbers of programs to the narrower types of the system.
//!
//! If a number did not fit, a cast would keep only its lowest bits: the descriptor 2^32 + 1 would become the descriptor 1. So each
//! conversion returns an error for a number that does not fit.

use std::ffi::c_int;
use std::io;

/// Converts a number to another type, or returns the system's error `error` if the number does not fit.
fn narrow<T: TryFrom<i64>>(number: i64, error: c_int) -> io::Result<T> {
    T::try_from(number).map_err(|_| io::Error::from_raw_os_error(error))
}

/// Converts a number to a descriptor.
///
/// # Errors
/// Returns `EBADF` if the number is too large or too small for a descriptor.
pub(super) fn descriptor(number: i64) -> io::Result<c_int> {
    narrow(number, libc::EBADF)
}

/// Converts an integer to a `pid_t`: the id of a process or of a process group.
///
/// # Errors
/// Returns `ESRCH` if the number is too large or too small for a process.
pub(super) fn process(number: i64) -> io::Result<libc::pid_t> {
    narrow(number, libc::ESRCH)
}

/// Converts a number to the number of a user or group that becomes the owner of a file. The number -1 leaves the owner unchanged.
///
/// # Errors
/// Returns `EINVAL` if the number is too large or too small for a user or group.
pub(super) fn owner(number: i64) -> io::Result<u32> {
    match number {
        -1 => Ok(u32::MAX),
        _ => plain(number),
    }
}

/// Converts a number of any other kind, for example a user, a signal, a mode or flags.
///
/// # Errors
/// Returns `EINVAL` if the type has no such value.
pub(super) fn plain<T: TryFrom<i64>>(number: i64) -> io::Result<T> {
    narrow(number, libc::EINVAL)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the error of a conversion.
    fn error<T>(result: io::Result<T>) -> Option<i32> {
        result.err().and_then(|error| error.raw_os_error())
    }

    #[test]
    fn numbers_that_do_not_fit_are_errors() {
        for number in [
            1 << 32,
            (1 << 32) + 1,
            1 << 31,
            -1 << 32,
            i64::MIN,
            i64::MAX,
        ] {
            assert_eq!(error(descriptor(number)), Some(libc::EBADF), "{number}");
            assert_eq!(error(process(number)), Some(libc::ESRCH), "{number}");
            assert_eq!(
                error(plain::<c_int>(number)),
                Some(libc::EINVAL),
                "{number}"
            );
        }
        for number in [1 << 32, (1 << 32) + 1, -2, -1 << 32, i64::MIN, i64::MAX] {
            assert_eq!(error(plain::<u32>(number)), Some(libc::EINVAL), "{number}");
            assert_eq!(error(owner(number)), Some(libc::EINVAL), "{number}");
        }
        assert_eq!(error(plain::<u32>(-1)), Some(libc::EINVAL));
    }

    #[test]
    fn numbers_that_fit_stay_the_same() {
        for number in [i32::MIN, -1, 0, 1, i32::MAX] {
            assert_eq!(descriptor(number.into()).unwrap(), number);
            assert_eq!(process(number.into()).unwrap(), number);
            assert_eq!(plain::<c_int>(number.into()).unwrap(), number);
        }
        assert_eq!(plain::<u32>(u32::MAX.into()).unwrap(), u32::MAX);
        assert_eq!(owner(-1).unwrap(), u32::MAX);
        assert_eq!(owner(1000).unwrap(), 1000);
    }
}
