//! Functions of the runtime that compiled code calls, but that have no names in the Basis.

use crate::poll::attend;
use crate::state::worker::Worker;
use crate::value::object::Value;

/// The internal functions, which come before the functions of the module `table` in the worker's list of functions.
#[derive(Clone, Copy)]
#[repr(usize)]
pub enum Internal {
    /// Raises an exception.
    Raise,
    /// Makes room in the young generation for an allocation.
    Allocate,
    /// Answers a poll.
    Poll,
    /// Makes room in the worker's list of remembered slots.
    Remember,
    /// Makes an array.
    Array,
    /// Makes an array of words that the program writes before it reads them.
    Blank,
    /// Makes bytes.
    Bytes,
    /// Answers a poll at the end of a fork's left side.
    Join,
    /// Answers a poll at the end of a fork's left side, if the fork's right side is not needed.
    Drop,
    /// Promotes a young object before it is stored where other workers may see it.
    Promote,
    /// Promotes young objects to which globals refer.
    Globals,
    /// Promotes the elements of a new array before other workers read them.
    Settle,
    /// Promotes the arguments of a fork that has begun.
    Environment,
}

/// Number of internal functions.
pub const INTERNALS: usize = 13;

/// Returns the addresses of the internal functions.
pub fn internals() -> [usize; INTERNALS] {
    [
        crate::exception::raise::raise as *const () as usize,
        allocate as *const () as usize,
        crate::entry::waits::poll as *const () as usize,
        remember as *const () as usize,
        array as *const () as usize,
        blank as *const () as usize,
        bytes as *const () as usize,
        crate::entry::waits::join as *const () as usize,
        crate::entry::waits::drop_fork as *const () as usize,
        promote as *const () as usize,
        globals as *const () as usize,
        settle as *const () as usize,
        environment as *const () as usize,
    ]
}

/// Index, in the worker's list of functions, of the function that makes room for another task. The functions of the module `table` come
/// before this index.
pub const GROW: usize = INTERNALS + crate::entry::table::FUNCTIONS.len();
/// Index of the function that raises an exception again.
pub const AGAIN: usize = GROW + 1;
/// Index of the function that raises the exception of a fork's right side.
pub const JOINED: usize = AGAIN + 1;

/// Returns the addresses of the last three functions in the worker's list: those at [`GROW`], [`AGAIN`] and [`JOINED`].
#[must_use]
pub fn lasts() -> [usize; 3] {
    [
        grow as *const () as usize,
        crate::exception::raise::again as *const () as usize,
        crate::exception::raise::joined as *const () as usize,
    ]
}

// Only thunks call the functions below. A thunk passes the worker of its own thread, to which no other reference is in use.

/// Makes room for an allocation. If the strand has used up its time slice, this function first lets other strands run, because a loop that
/// allocates has no other poll.
#[cfg(target_arch = "x86_64")]
#[unsafe(naked)]
unsafe extern "C" fn allocate(worker: *mut Worker, bytes: usize) {
    std::arch::naked_asm!(
        "push rsi",
        "call {is_over}",
        "test eax, eax",
        "je 2f",
        "mov rdi, r15",
        "call {poll}",
        "2:",
        "pop rsi",
        // The strand may continue on another worker.
        "mov rdi, r15",
        "jmp {take}",
        is_over = sym is_over,
        poll = sym crate::entry::waits::poll,
        take = sym take,
    )
}

/// Returns 1 if the running strand has to yield, otherwise 0.
unsafe extern "C" fn is_over(worker: *mut Worker) -> u32 {
    // SAFETY: `worker` is this thread's own, and only this thread changes the worker's strand; the words that other threads write are
    // atomics.
    unsafe {
        let strand = (*worker).strand;
        let is_over =
            (*worker).ready.has_had_its_time() || (*worker).world().threads.urgent.has_any();
        // Tests that publish at every poll also make strands yield often.
        let may_be = is_over || (*worker).options().publish;
        u32::from(may_be && !strand.is_null() && !(*strand).keeps_worker())
    }
}

unsafe extern "C" fn take(worker: *mut Worker, bytes: usize) {
    // SAFETY: the worker is the calling thread's own. While the worker is stopped in this function, other threads may use it, and this
    // thread uses no reference to it.
    unsafe {
        if !(*worker).bell.is_rung() {
            (*worker).reset_limit();
        }
        if (*worker).bell.is_rung() {
            attend::attend(worker);
        }
        (*worker).taken = (*worker).allocate_slowly(bytes);
    }
}

unsafe extern "C" fn remember(worker: *mut Worker) {
    // SAFETY: a thunk has called this function for the running worker, and no other reference to it is in use on this thread.
    unsafe { &mut *worker }.grow_remembered();
}

unsafe extern "C" fn array(
    worker: *mut Worker,
    length: usize,
    word: usize,
    pointers: usize,
) -> Value {
    // SAFETY: a thunk has called this function for the running worker, and no other reference to it is in use on this thread.
    unsafe { &mut *worker }.array(pointers != 0, length, word)
}

unsafe extern "C" fn blank(worker: *mut Worker, length: usize) -> Value {
    // SAFETY: a thunk has called this function for the running worker, and no other reference to it is in use.
    unsafe { &mut *worker }.blank(length)
}

unsafe extern "C" fn bytes(worker: *mut Worker, length: usize) -> Value {
    // SAFETY: a thunk has called this function for the running worker, and no other reference to it is in use on this thread.
    unsafe { &mut *worker }.new_bytes(length)
}

unsafe extern "C" fn promote(worker: *mut Worker, value: Value) {
    // SAFETY: a thunk has called this function and noted its frame, and live values are in slots of frames.
    unsafe { (*worker).taken = crate::collect::promote::promote(worker, value).0 };
}

unsafe extern "C" fn globals(worker: *mut Worker) {
    // SAFETY: a thunk has called this function and noted its frame, and live values are in slots of frames. The strand is a program's own
    // strand, so globals are among the roots.
    unsafe { crate::collect::promote::promote_all(worker, (*worker).strand, &mut []) };
}

unsafe extern "C" fn settle(worker: *mut Worker, array: Value) {
    // SAFETY: a thunk has called this function and noted its frame, and live values are in slots of frames.
    unsafe { crate::collect::promote::settle(worker, array) };
}

unsafe extern "C" fn environment(worker: *mut Worker) {
    // SAFETY: a thunk has called this function and noted its frame, and live values are in slots of frames.
    unsafe { crate::collect::promote::promote_environment(worker) };
}

unsafe extern "C" fn grow(worker: *mut Worker) {
    // SAFETY: a thunk has called this function for the running worker, and only this worker uses its deque.
    unsafe { (*worker).tasks.grow() };
}
