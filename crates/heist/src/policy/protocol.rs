//! Protocols by which thieves take work from victims.

use crate::platform::fence_is_ready;
use heist_deque::split::Sharing;

/// The protocol by which the workers of a pool steal: see the [module](crate::policy).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum Protocol {
    /// Return barriers (Kumar, Blackburn, Grove, *Friendly Barriers: Efficient Work-Stealing With Return Barriers*, VEE
    /// 2014, section 5). The victim's older frames are public, and its newer frames are private. A barrier lies between
    /// them, which the victim meets when it returns to the public frames. Thieves take public frames without the
    /// victim's help (*free steals*). When the victim has no public frames, thieves request some. This protocol is the
    /// default, with [`Delivery::Fence`].
    ReturnBarrier(Delivery),
    /// Each steal stops the victim at its next fork or join, until the thief has taken the oldest frame:
    /// DefaultWS of the same paper, section 5.2. (In that paper, a thief has to search the victim's
    /// stack for the frame. In Heist, a thief knows the place of the frame, so victims stand still for
    /// less time.)
    StopVictim,
    /// Private deques: a thief asks, and the victim hands over its oldest frame when it polls, at the next fork. A
    /// thief that gets nothing pauses, twice as long each time, for up to 1 ms (Rainey, *Effective Scheduling
    /// Techniques for High-Level Parallel Programming Languages*, 2010, sections 2.6, 3.2 and 3.3.3).
    Polled(Delivery),
    /// Public deques (Chase and Lev, *Dynamic Circular Work-Stealing Deque*, SPAA 2005): a full fence at each join.
    ChaseLev,
    /// Public deques whose thieves hold a lock (Frigo, Leiserson and Randall, *The Implementation of the Cilk-5
    /// Multithreaded Language*, PLDI 1998, section 5): a full fence at each join.
    The,
}

impl Default for Protocol {
    fn default() -> Self {
        Protocol::ReturnBarrier(Delivery::Fence)
    }
}

/// The way in which a request for frames reaches a victim that has not forked or joined for several
/// microseconds since the request. In all cases the thief first sets the victim's request word.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum Delivery {
    /// No delivery: the thief waits until the victim forks or joins (Rainey, section 5.3).
    Polling,
    /// A signal, `SIGURG`, whose handler answers on the victim's thread. System calls of that thread may end with
    /// `EINTR`. Afterwards Heist's handler calls the handler that the program had for this signal when it built its
    /// first such pool. A handler that the program installs later replaces Heist's; then this delivery acts like
    /// [`Polling`](Self::Polling). It also acts like `Polling` on systems other than Linux.
    Signal,
    /// An asymmetric fence, by which the thief makes the frames public itself, without the victim's help. If the
    /// platform has [no such fence](crate::asymmetric_fence_available), or the fence is not ready yet, each join
    /// takes a short lock instead.
    Fence,
}

impl Protocol {
    /// Returns how the pool's workers share their deques.
    pub(crate) fn sharing(self) -> Sharing {
        match self {
            Protocol::ChaseLev => Sharing::ChaseLev,
            Protocol::The => Sharing::The,
            // Only a thief that uses force reads an owner's tail while the owner runs. All other accesses
            // happen while the owner stands still, or on the owner's thread.
            _ if self.delivery() != Some(Delivery::Fence) || fence_is_ready() => Sharing::Split,
            // The fence may become ready later: see `gain_fence` in `worker/wait/join.rs`.
            _ => Sharing::SplitLocked,
        }
    }

    /// Returns the delivery to victims that do not check for requests.
    pub(crate) fn delivery(self) -> Option<Delivery> {
        match self {
            Protocol::ReturnBarrier(delivery) | Protocol::Polled(delivery) => Some(delivery),
            Protocol::StopVictim => Some(Delivery::Polling),
            Protocol::ChaseLev | Protocol::The => None,
        }
    }

    /// Returns true if each thief asks a single victim, and waits for it.
    pub(crate) fn asks_one_victim(self) -> bool {
        matches!(self, Protocol::StopVictim | Protocol::Polled(_))
    }
}
