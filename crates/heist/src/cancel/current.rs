//! The current thread's cancel scope.

use super::Node;
use std::any::Any;
use std::cell::Cell;
use std::fmt;
use std::panic::resume_unwind;
use std::ptr::null;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::Waker;
use std::thread;

/// The flag of a node: true once the node was cancelled.
pub(crate) type Flag = crate::platform::shim::AtomicBool;

/// Returns the flag of code that is in no scope.
#[cfg(not(heist_model))]
fn never() -> &'static Flag {
    static NEVER: Flag = Flag::new(false);
    &NEVER
}

/// Returns the flag of code that is in no scope. The version for models leaks a new flag at each call, because loom has no atomics in
/// statics.
#[cfg(heist_model)]
fn never() -> &'static Flag {
    Box::leak(Box::new(Flag::new(false)))
}

/// The payload of a panic.
pub(crate) type Payload = Box<dyn Any + Send>;

/// The error of work that was cancelled before it ended.
///
/// Cancelled code unwinds with a payload of this type, which no panic hook reports.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cancelled;

impl fmt::Display for Cancelled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the work was cancelled")
    }
}

impl std::error::Error for Cancelled {}

thread_local! {
    /// The innermost scope of the running code; null outside of all scopes.
    static CURRENT: Cell<*const Node> = const { Cell::new(null()) };
}

/// True if the process has ever made a node. In a program without cancel scopes, a lookup of the current scope costs only the load of this
/// flag.
///
/// Accesses are Relaxed, because the store happens before all code inside a scope: the thread that opened the scope made the store itself,
/// and a thief has acquired the store with the node.
static USED: std::sync::atomic::AtomicBool = std::sync::atomic::AtomicBool::new(false);

/// Records that the process has made a node.
pub(super) fn note_use() {
    USED.store(true, Ordering::Relaxed);
}

// The function is not inlined, because its caller may be a fiber, which can resume on another thread.

#[inline(never)]
fn current_of_thread() -> *const Node {
    CURRENT.get()
}

/// Returns the innermost scope of the running code; null outside of all scopes. The node stays alive while that code
/// runs.
#[inline]
pub(crate) fn current() -> *const Node {
    if USED.load(Ordering::Relaxed) {
        current_of_thread()
    } else {
        null()
    }
}

/// Makes `node` the scope of the code that this thread runs from now on.
///
/// # Safety
/// The node must be null, or must live until this thread sets another node.
#[inline(never)]
pub(crate) unsafe fn set_current(node: *const Node) {
    CURRENT.set(node);
}

/// Returns the scope to which new work of the running code belongs: the current scope. While the thread unwinds, new work of a destructor
/// belongs to no scope. New work of a destructor must run to its end, because a destructor cannot unwind.
#[inline(never)]
pub(crate) fn enclosing() -> *const Node {
    let node = CURRENT.get();
    if node.is_null() || thread::panicking() {
        return null();
    }
    node
}

/// Returns true if the running code is inside `outer`.
pub(crate) fn is_inside(outer: &Node) -> bool {
    // SAFETY: the running code is in the scope, so the scope's node exists during this call.
    unsafe { current().as_ref() }.is_some_and(|node| node.is_inside(outer))
}

/// Returns a reference to the [enclosing] scope.
pub(crate) fn enclosing_node() -> Option<Arc<Node>> {
    let node = enclosing();
    // SAFETY: the running code is in the scope, so the thread that opened the scope, or the running task, keeps a reference to the node.
    // Nodes are made in an `Arc`.
    (!node.is_null()).then(|| unsafe {
        Arc::increment_strong_count(node);
        Arc::from_raw(node)
    })
}

/// Returns true if the caller's scope was cancelled. Outside of all scopes, returns false.
///
/// The check takes a call and one or two loads. The function suits the inner loop of code that neither forks nor runs parallel loops.
///
/// ```
/// let sum = heist::cancellable(|token| {
///     let mut sum = 0_u64;
///     for i in 0.. {
///         if heist::is_cancelled() {
///             return sum; // in order, with what there is
///         }
///         sum += i;
///         if i == 1000 {
///             token.cancel();
///         }
///     }
///     sum
/// });
/// assert_eq!(sum, Ok(500_500));
/// ```
#[inline(never)]
#[must_use]
pub fn is_cancelled() -> bool {
    // SAFETY: the running code is in the scope, so the scope's node exists during this call.
    unsafe { CURRENT.get().as_ref() }.is_some_and(Node::is_cancelled)
}

/// Returns the flag of the [enclosing] scope.
///
/// # Safety
/// The caller must not use the flag after it has left that scope.
#[inline(never)]
pub(crate) unsafe fn flag<'a>() -> &'a Flag {
    // SAFETY: the running code is in the scope, and by contract it does not use the flag after it
    // has left the scope.
    unsafe { enclosing().as_ref() }.map_or_else(never, Node::flag)
}

/// Returns true if the caller must unwind: its scope was cancelled, and its thread is not unwinding already.
#[inline]
pub(crate) fn is_stopping() -> bool {
    !current().is_null() && is_cancelled() && !thread::panicking()
}

/// Unwinds to the boundary of the scope if the scope was cancelled.
#[inline]
pub(crate) fn check() {
    if is_stopping() {
        unwind();
    }
}

/// Unwinds to the boundary of the scope. The function is inlined, because the unwinding of each stack frame costs 80 ns, and each level of
/// nested races calls the function again.
#[inline(always)]
pub(crate) fn unwind() -> ! {
    if cfg!(panic = "abort") {
        abort_with_reason();
    }
    resume_unwind(payload())
}

/// Reports that cancelled code cannot unwind, and aborts the process. `resume_unwind` would abort without a message.
#[cold]
fn abort_with_reason() -> ! {
    crate::platform::say(format_args!(
        "heist: cancelled work must unwind, but this program was built with panic = \"abort\"; aborting. \
         heist::try_join, heist::try_race and heist::is_cancelled stop work without unwinding."
    ));
    std::process::abort()
}

/// Returns the payload with which cancelled code unwinds. The payload takes no memory.
pub(crate) fn payload() -> Payload {
    Box::new(Cancelled)
}

/// Returns true if `payload` is the payload of cancelled code, and not of a panic.
pub(crate) fn is_cancellation(payload: &Payload) -> bool {
    payload.is::<Cancelled>()
}

/// Keeps a panic for the boundary of the scope, because the unwinding of cancelled code is about to hide it. Returns the payload in three
/// cases: no scope was cancelled, the payload is a cancellation, or the scope keeps an earlier panic already.
pub(crate) fn keep_panic(payload: Payload) -> Option<Payload> {
    // SAFETY: the running code is in the scope, so the scope's node exists during this call.
    let node = unsafe { current().as_ref() }.filter(|node| node.is_cancelled());
    match node {
        Some(node) if !is_cancellation(&payload) => node.keep_panic(payload),
        _ => Some(payload),
    }
}

/// A registration of a waker: while it exists, a cancellation of the scope calls the waker.
#[derive(Debug)]
pub(crate) struct Watch(Option<(Arc<Node>, usize)>);

impl Watch {
    /// Makes `node` call `waker` when it is cancelled. Returns `None` if the node is cancelled already.
    pub(crate) fn of(node: &Arc<Node>, waker: &Waker) -> Option<Self> {
        let key = node.watch(waker.clone())?;
        Some(Watch(Some((Arc::clone(node), key))))
    }

    /// Makes the current scope call `waker` when the scope is cancelled (W1). The caller must check [`is_stopping`]
    /// between this call and its wait.
    #[inline(never)]
    pub(crate) fn begin(waker: &Waker) -> Self {
        Watch(enclosing_node().and_then(|node| {
            let key = node.watch(waker.clone())?;
            Some((node, key))
        }))
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        if let Some((node, key)) = self.0.take() {
            node.unwatch(key);
        }
    }
}
