//! Records whether this thread is in an isolated section, in which no code may wait.

use std::cell::Cell;

/// The kind of isolated section in which this thread is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Isolation {
    /// The thread is in no section.
    None,
    /// The thread is in a section on objects.
    Objects,
    /// The thread is in a section that excludes all other sections.
    World,
}

thread_local! {
    static CURRENT: Cell<Isolation> = const { Cell::new(Isolation::None) };
}

impl Isolation {
    // The two functions below are not inlined, because the caller may be a fiber that has moved to another thread since its previous call.

    #[inline(never)]
    pub(crate) fn current() -> Isolation {
        CURRENT.get()
    }

    #[inline(never)]
    fn set(self) -> Isolation {
        CURRENT.replace(self)
    }

    /// Runs `work` in a section. The section ends on this thread, because no code in it may wait.
    pub(crate) fn during<R>(self, work: impl FnOnce() -> R) -> R {
        struct Outer(Isolation);
        impl Drop for Outer {
            fn drop(&mut self) {
                self.0.set();
            }
        }
        let _outer = Outer(self.set());
        work()
    }
}
