//! Paths of forks, compiled for one protocol each.

use super::join_by;
use crate::worker::{WorkerLocal, poll};
use heist_deque::split::Sharing;

/// A protocol as a type, which determines the path of a fork that no thief steals. See the [module](crate::policy).
///
/// This trait is sealed.
pub trait ForkPath: sealed::Path {
    /// Joins as [`join`](crate::join) does, on the path of this protocol. The call is slower in a pool of another protocol.
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
        /// The sharing of the deque, if all its frames are public.
        const OPEN: Option<Sharing> = None;
    }
}

/// Does the owner's step after the left side, with the frame still in the deque.
#[inline(always)]
pub(crate) fn look_up<P: ForkPath>(local: &WorkerLocal) {
    if P::LOOKS_UP {
        poll(local);
    }
}

/// Takes the newest frame back. Returns true if it is this thread's, and false if the slow path must decide.
///
/// # Safety
/// The contract of [`Words::pop`](heist_deque::split::Words::pop) on the thread's forks applies.
#[inline(always)]
pub(crate) unsafe fn pop<P: ForkPath>(local: &WorkerLocal) -> bool {
    let forks = &local.shared.forks;
    match P::OPEN {
        // SAFETY: by this function's contract. In a pool of another protocol the barrier stands above every slot.
        None => unsafe { forks.pop() },
        // SAFETY: by this function's contract. The top is that of the thread's deque if the pool has this
        // protocol, and closed otherwise.
        Some(sharing) => unsafe { local.top(sharing).pop(forks, sharing) },
    }
}

/// The path of [`Protocol::ReturnBarrier`](crate::policy::Protocol::ReturnBarrier), which [`join`](crate::join) uses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ReturnBarrier;

impl ForkPath for ReturnBarrier {}
impl sealed::Path for ReturnBarrier {}

/// The path of [`Protocol::StopVictim`](crate::policy::Protocol::StopVictim): a victim can be stopped at joins as well as at forks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StopVictim;

impl ForkPath for StopVictim {}
impl sealed::Path for StopVictim {
    const LOOKS_UP: bool = true;
}

/// The path of [`Protocol::Polled`](crate::policy::Protocol::Polled): a join answers requests, as a fork does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Polled;

impl ForkPath for Polled {}
impl sealed::Path for Polled {
    const LOOKS_UP: bool = true;
}

/// The path of [`Protocol::ChaseLev`](crate::policy::Protocol::ChaseLev).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ChaseLev;

impl ForkPath for ChaseLev {}
impl sealed::Path for ChaseLev {
    const OPEN: Option<Sharing> = Some(Sharing::ChaseLev);
}

/// The path of [`Protocol::The`](crate::policy::Protocol::The).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct The;

impl ForkPath for The {}
impl sealed::Path for The {
    const OPEN: Option<Sharing> = Some(Sharing::The);
}
