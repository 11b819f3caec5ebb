//! Tests of values and their memory, as functions of the runtime use them.

use crate::memory::sharing::Memory;
use crate::state::options::Options;
use crate::state::worker::Worker;

fn worker(stress: bool, memory: Memory) -> Box<Worker> {
    Worker::new(Options {
        heap: 64 << 20,
        stack: 1 << 20,
        stress,
        memory,
        ..Options::default()
    })
    .unwrap()
}

#[test]
fn held_values_survive_and_others_are_freed() {
    let heaps = [Memory::Split, Memory::Copying, Memory::Flat];
    for (stress, memory) in [false, true]
        .into_iter()
        .flat_map(|it| heaps.map(|of| (it, of)))
    {
        let mut worker = worker(stress, memory);
        let text = worker.string(b"kept");
        let kept = worker.hold(text);
        let array = worker.array(true, 10_000, text.0);
        let array = worker.hold(array);
        for round in 0..100 {
            let text = worker.string(format!("{round}").as_bytes());
            let array = worker.held(array);
            // SAFETY: the array has an element at this index.
            unsafe { worker.write(array, round, text) };
            for _ in 0..if stress { 2 } else { 2000 } {
                worker.new_bytes(1000);
            }
        }
        // SAFETY: the handles refer to the string and the array of strings that were made above.
        unsafe {
            assert_eq!(worker.held(kept).bytes(), b"kept");
            let array = worker.held(array);
            for round in 0..100 {
                assert_eq!(array.field(round).bytes(), format!("{round}").as_bytes());
            }
            assert_eq!(array.field(9_999).bytes(), b"kept");
        }
        assert!(worker.stats.minor > 5 || memory == Memory::Flat && worker.stats.major > 1);
        // SAFETY: the worker is this thread's own and runs no strand, and no reference to it is in use.
        unsafe { crate::poll::collection::collect(&raw mut *worker, true) };
        assert!(worker.world().heap().old_bytes() < 1 << 20);
    }
}

#[test]
fn large_objects_come_and_go() {
    let mut worker = worker(false, Memory::Split);
    for round in 0..1000_usize {
        let array = worker.array(false, 100_000, round);
        // SAFETY: the array has an element at this index.
        assert_eq!(unsafe { array.word(99_999) }, round);
    }
    assert!(worker.stats.major > 3);
}
