//! Promotion by copying a graph of any size, as in Manticore, for comparison (`Memory::Copying`).
//!
//! The original objects stay in the young generation. The originals are equivalent to their copies, because originals and copies are
//! immutable. A table records the young objects that have copies, so an object is copied at most once between two collections of its young
//! generation. The next collection treats each original as an object that has moved to the address of its copy.

use crate::collect::promote::take;
use crate::memory::heap::YOUNG_SPAN;
use crate::state::worker::Worker;
use crate::state::worker::copies::Forwards;
use crate::value::object::{Header, Value, WORD};

/// The entry of an object that belongs to the present graph and has no copy yet.
const SEEN: usize = 1;

/// Copies a young object and all young objects that can be reached from it. Returns `None` if one of these objects has an identity, or if
/// there is no memory.
///
/// # Safety
/// The worker must be the calling thread's own, and the value must be an object of the worker's own young generation.
pub unsafe fn copy(worker: *mut Worker, value: Value) -> Option<Value> {
    // SAFETY: `worker` is this thread's own, so it alone uses the objects of its young generation. Nothing is collected during this call,
    // so they stay where they are.
    unsafe {
        let nursery = (*worker).nursery;
        let place = |object: Value| (object.0 - nursery) / WORD;
        let mut forwards = std::mem::take(&mut (*worker).forwards);
        forwards.table.resize(YOUNG_SPAN / WORD, 0);
        let first = forwards.objects.len();
        let copied = fill(worker, value, &mut forwards, place);
        if copied.is_none() {
            for object in forwards.objects.drain(first..) {
                let copy = std::mem::take(&mut forwards.table[place(object)]);
                if copy != SEEN {
                    // The copy may still have pointers of the original. So the copy gets the header of a bytes object, in which no code
                    // follows a pointer.
                    let bytes = object.header().shape().bytes() - WORD;
                    *(copy as *mut u64) = Header::bytes(0, bytes).0;
                }
            }
        }
        (*worker).forwards = forwards;
        copied
    }
}

/// Does the work of [`copy`]: copies the graph of a value, and notes the copies in `forwards`.
///
/// # Safety
/// The worker must be the calling thread's own, and the value must be an object of its young generation. `place` must return the index of
/// an object of this generation in the table.
unsafe fn fill(
    worker: *mut Worker,
    value: Value,
    forwards: &mut Forwards,
    place: impl Fn(Value) -> usize,
) -> Option<Value> {
    let Forwards { table, objects } = forwards;
    if table[place(value)] != 0 {
        return Some(Value(table[place(value)]));
    }
    let first = objects.len();
    table[place(value)] = SEEN;
    objects.push(value);
    let (mut done, mut bytes) = (first, 0);
    // SAFETY: `worker` is this thread's own. `objects` are young objects of this worker, to which no other thread refers, and each copy is
    // new memory of the size of its original.
    unsafe {
        while done < objects.len() {
            let object = objects[done];
            done += 1;
            let header = object.header();
            if !header.may_be_copied() {
                return None;
            }
            let shape = header.shape();
            bytes += shape.bytes() as u64;
            for index in shape.first..shape.end {
                let field = object.field(index);
                if (*worker).is_own(field) && table[place(field)] == 0 {
                    table[place(field)] = SEEN;
                    objects.push(field);
                }
            }
        }
        for object in &objects[first..] {
            let shape = object.header().shape();
            let copy = take(worker, shape.bytes())?;
            std::ptr::copy_nonoverlapping(
                object.0 as *const usize,
                copy as *mut usize,
                shape.words + 1,
            );
            table[place(*object)] = copy;
        }
        for object in &objects[first..] {
            let (shape, copy) = (object.header().shape(), Value(table[place(*object)]));
            for index in shape.first..shape.end {
                let field = object.field(index);
                if (*worker).is_own(field) {
                    *copy.slot(index) = table[place(field)];
                }
            }
        }
        let stats = &mut (*worker).stats;
        stats.promoted += bytes;
        stats.promoted_by_copy += bytes;
        stats.promoted_objects += (objects.len() - first) as u64;
    }
    Some(Value(table[place(value)]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::sharing::Memory;
    use crate::state::options::Options;

    #[test]
    fn graphs_are_copied_once_and_moved_to_their_copies() {
        let mut worker = Worker::new(Options {
            heap: 64 << 20,
            stack: 1 << 20,
            memory: Memory::Copying,
            ..Options::default()
        })
        .unwrap();
        // The graph is too large for a copy by default: a list of pairs that share an object.
        let shared = worker.record(7, &[], &[1]);
        let shared = worker.hold(shared);
        let mut list = worker.hold(Value::immediate(0));
        for number in 0..1000 {
            let pair = worker.record(number, &[shared, list], &[]);
            list = worker.hold(pair);
        }
        let array = worker.array(true, 3, Value::immediate(5).0);
        let array = worker.hold(array);
        let with_array = worker.record(0, &[list, array], &[]);
        // SAFETY: the objects are young, and only this worker has them.
        unsafe {
            let of: *mut Worker = &raw mut *worker;
            assert_eq!(copy(of, with_array), None);
            let original = (*of).held(list);
            let copied = copy(of, original).unwrap();
            assert!((*of).is_own(original) && !(*of).is_young(copied));
            assert_eq!(copy(of, original), Some(copied));
            assert_eq!((*of).stats.promoted_objects, 1001);
            let (mut at, first) = (copied, copied.field(0));
            for number in (0..1000).rev() {
                assert_eq!((at.header().tag(), at.field(0)), (number, first));
                at = at.field(1);
            }
            assert_eq!((first.header().tag(), first.word(0)), (7, 1));
            crate::poll::collection::collect(of, false);
            assert_eq!((*of).held(list), copied);
            assert_eq!((*of).held(shared), first);
            assert_eq!((*of).held(array).length(), 3);
        }
    }
}
