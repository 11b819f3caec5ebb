//! Fork paths: versions of the code of `join`, each of which is compiled for one protocol.

use super::join_by;
use crate::worker::{WorkerLocal, poll};
#[cfg(feature = "policies")]
use heist_deque::split::Sharing;

/// A protocol as a type. The type selects the code that a `join` executes if no thief steals its right side. See the
/// [module](crate::policy).
///
/// The trait is sealed.
pub trait ForkPath: sealed::Path {
    /// Joins as [`join`](crate::join) does, on the path of this protocol. In a pool of another protocol, the call may take a few
    /// nanoseconds more than in a pool of this protocol.
    #[inline(always)]
    fn join<A, B, RA, RB>(a: A, b: B) -> (RA, RB)
    where
        A: FnOnce() -> RA + Send,
        B: FnOnce() -> RB + Send,
        RA: Send,
        RB: Send,
    {
        join_by::<Self, A, B, RA, RB>(a, b)
    }
}

pub(crate) mod sealed {
    use heist_deque::split::Sharing;

    /// The differences between protocols.
    pub trait Path: Sized {
        /// True if a join checks for steal requests, as a fork does.
        const LOOKS_UP: bool = false;
        /// The way in which a deque is shared, if all its frames are public; otherwise `None`.
        const OPEN: Option<Sharing> = None;
    }
}

/// Checks for steal requests if the protocol requires this check after a left side. The frame is then still in the deque.
#[inline(always)]
pub(crate) fn look_up<P: ForkPath>(local: &WorkerLocal) {
    if P::LOOKS_UP {
        poll(local);
    }
}

/// Takes the newest frame back. Returns true if this thread has got the frame. If the result is false, the slow path must decide whether
/// this thread gets the frame.
///
/// # Safety
/// The caller must keep the contract of [`Words::pop`](heist_deque::split::Words::pop) for the
/// thread's forks.
#[inline(always)]
pub(crate) unsafe fn pop<P: ForkPath>(local: &WorkerLocal) -> bool {
    let forks = &local.shared.forks;
    match P::OPEN {
        // SAFETY: the caller keeps the contract of `Words::pop`. In a pool with an open protocol, the barrier is above every deque cell, so
        // the pop takes the slow path.
        None => unsafe { forks.pop() },
        // SAFETY: the caller keeps the contract of `Words::pop`. The top belongs to the thread's deque if
        // the pool has this protocol, and is closed otherwise.
        Some(sharing) => unsafe { local.top(sharing).pop(forks, sharing) },
    }
}

/// The path of [`Protocol::ReturnBarrier`](crate::policy::Protocol::ReturnBarrier), which [`join`](crate::join) uses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ReturnBarrier;

impl ForkPath for ReturnBarrier {}
impl sealed::Path for ReturnBarrier {}

/// The path of [`Protocol::StopVictim`](crate::policy::Protocol::StopVictim): a victim can be stopped at joins as well as at forks.
#[cfg(feature = "policies")]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StopVictim;

#[cfg(feature = "policies")]
impl ForkPath for StopVictim {}
#[cfg(feature = "policies")]
impl sealed::Path for StopVictim {
    const LOOKS_UP: bool = true;
}

/// The path of [`Protocol::Polled`](crate::policy::Protocol::Polled): a join answers requests, as a fork does.
#[cfg(feature = "policies")]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Polled;

#[cfg(feature = "policies")]
impl ForkPath for Polled {}
#[cfg(feature = "policies")]
impl sealed::Path for Polled {
    const LOOKS_UP: bool = true;
}

/// The path of [`Protocol::ChaseLev`](crate::policy::Protocol::ChaseLev).
#[cfg(feature = "policies")]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ChaseLev;

#[cfg(feature = "policies")]
impl ForkPath for ChaseLev {}
#[cfg(feature = "policies")]
impl sealed::Path for ChaseLev {
    const OPEN: Option<Sharing> = Some(Sharing::ChaseLev);
}

/// The path of [`Protocol::The`](crate::policy::Protocol::The).
#[cfg(feature = "policies")]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct The;

#[cfg(feature = "policies")]
impl ForkPath for The {}
#[cfg(feature = "policies")]
impl sealed::Path for The {
    const OPEN: Option<Sharing> = Some(Sharing::The);
}
