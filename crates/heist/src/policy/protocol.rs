//! Protocols by which thieves take work from victims.

use super::StealAmount;
use crate::platform::fence_is_ready;
use heist_deque::split::Sharing;

/// The protocol by which the workers of a pool steal: see the [module](crate::policy). All variants but the default need the feature
/// `policies`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum Protocol {
    /// Return barriers (Kumar, Blackburn, Grove, *Friendly Barriers: Efficient Work-Stealing With Return Barriers*, VEE 2014, section 5:
    /// ReturnBarrierWS). The victim's older frames are public, and its newer frames are private. A barrier lies between the public and the
    /// private frames. The victim reaches the barrier when it returns to the public frames. Thieves take public frames without the victim's
    /// help (*free steals*). If the victim has no public frames, thieves request frames. (In the paper, a thief stops the victim to install
    /// the barrier, which is a hijacked return address. In Heist, the victim compares a word at each join, and thieves stop no victim.)
    /// Return barriers are the default, with [`Delivery::Fence`].
    ReturnBarrier(Delivery),
    /// Each steal stops the victim at its next fork or join, until the thief has taken the oldest frame: DefaultWS of the same paper,
    /// sections 2.4 and 5.2. (In the paper, a thief has to search the victim's stack for the frame. In Heist, a thief knows the address of
    /// the frame, so the victim stands still for less time than in the paper.)
    #[cfg(feature = "policies")]
    StopVictim,
    /// Private deques: a thief requests a frame, and the victim polls for requests at each fork, and then hands over its oldest frame.
    /// A thief that gets no frame pauses. Each pause is twice as long as the pause before, up to 1 ms (Rainey, *Effective Scheduling
    /// Techniques for High-Level Parallel Programming Languages*, 2010, sections 2.6, 3.2 and 3.3.3: private access and WS LP).
    #[cfg(feature = "policies")]
    Polled(Delivery),
    /// Public deques (Chase and Lev, *Dynamic Circular Work-Stealing Deque*, SPAA 2005). Each join issues a full fence.
    #[cfg(feature = "policies")]
    ChaseLev,
    /// Public deques from which thieves steal under a lock (Frigo, Leiserson and Randall, *The Implementation of the Cilk-5 Multithreaded
    /// Language*, PLDI 1998, section 5). Each join issues a full fence.
    #[cfg(feature = "policies")]
    The,
}

impl Default for Protocol {
    fn default() -> Self {
        Protocol::ReturnBarrier(Delivery::Fence)
    }
}

/// The way in which a thief's request for frames reaches a victim. Under every delivery, the thief first sets the victim's request word.
/// The delivery matters only if the victim does not fork or join within several microseconds after the thief has set the word.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum Delivery {
    /// No delivery: the thief waits until the victim forks or joins (Rainey, sections 3.3.3 and 5.3).
    Polling,
    /// A signal, `SIGURG`, whose handler answers on the victim's thread. System calls of that thread may end with
    /// `EINTR`. After its answer, Heist's handler calls the program's own handler for this signal, if the program had a
    /// handler when it built its first pool with this delivery. If the program installs a handler later, that handler
    /// replaces Heist's handler, and this delivery acts like [`Polling`](Self::Polling). On systems other than Linux,
    /// this delivery also acts like `Polling`.
    Signal,
    /// An asymmetric fence. With this fence, the thief itself makes the victim's frames public, without the victim's help. If the platform
    /// has [no such fence](crate::asymmetric_fence_available), or the fence is not ready yet, each join takes a short lock instead.
    Fence,
}

impl Protocol {
    /// Returns how the pool's workers share their deques.
    pub(crate) fn sharing(self) -> Sharing {
        match self {
            #[cfg(feature = "policies")]
            Protocol::ChaseLev => Sharing::ChaseLev,
            #[cfg(feature = "policies")]
            Protocol::The => Sharing::The,
            // Only a thief that forces exposure reads an owner's tail while the owner runs. All other accesses to the tail happen while the
            // owner stands still, or on the owner's thread.
            _ if self.delivery() != Some(Delivery::Fence) || fence_is_ready() => Sharing::Split,
            // The fence may become ready later: see `gain_fence` in `worker/wait/join.rs`.
            _ => Sharing::SplitLocked,
        }
    }

    /// Returns the delivery to victims that do not check for requests.
    pub(crate) fn delivery(self) -> Option<Delivery> {
        match self {
            Protocol::ReturnBarrier(delivery) => Some(delivery),
            #[cfg(feature = "policies")]
            Protocol::Polled(delivery) => Some(delivery),
            #[cfg(feature = "policies")]
            Protocol::StopVictim => Some(Delivery::Polling),
            #[cfg(feature = "policies")]
            Protocol::ChaseLev | Protocol::The => None,
        }
    }

    /// Returns the number of frames or tasks that a thief takes if the pool's builder does not choose it.
    pub(crate) fn usual_amount(self) -> StealAmount {
        match self {
            Protocol::ReturnBarrier(_) => StealAmount::Half,
            #[cfg(feature = "policies")]
            Protocol::The => StealAmount::Half,
            #[cfg(feature = "policies")]
            Protocol::StopVictim | Protocol::Polled(_) | Protocol::ChaseLev => StealAmount::One,
        }
    }
}
