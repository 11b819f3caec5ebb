//! Values that functions of the runtime make.

use crate::collect::promote;
use crate::memory::heap::LARGE;
use crate::state::worker::Worker;
use crate::state::worker::handles::Handle;
use crate::value::exn::BuiltinExn;
use crate::value::object::{Header, Value, WORD};

impl Worker {
    /// Makes a string (or `bytes`) with this content. This call may collect.
    pub fn string(&mut self, bytes: &[u8]) -> Value {
        let string = self.new_bytes(bytes.len());
        // SAFETY: `string` is new, of this length and not moved since; no other thread can see it yet.
        unsafe { string.bytes_mut() }.copy_from_slice(bytes);
        string
    }

    /// Makes an object of at most `MAX_LENGTH` bytes. All bytes of the object are 0. This call may collect.
    pub fn new_bytes(&mut self, length: usize) -> Value {
        self.tagged_bytes(0, length)
    }

    fn tagged_bytes(&mut self, tag: u16, length: usize) -> Value {
        // SAFETY: the next line fills all words of the object, before anything allocates.
        let object = unsafe { self.allocate(Header::bytes(tag, length)) };
        // SAFETY: `object` was allocated above, with this number of words, and nothing was collected since. The header gives it room for
        // the length, rounded up to words.
        unsafe { std::ptr::write_bytes(object.slot(0), 0, length.div_ceil(WORD)) };
        object
    }

    /// Makes an IntInf. This call may collect.
    pub fn intinf(&mut self, number: &num_bigint::BigInt) -> Value {
        match crate::value::object::intinf(number) {
            Ok(small) => Value::immediate(small),
            Err((tag, bytes)) => {
                let object = self.tagged_bytes(tag, bytes.len());
                // SAFETY: `object` is new, of this length and not moved since; no other thread can see it yet.
                unsafe { object.bytes_mut() }.copy_from_slice(&bytes);
                object
            }
        }
    }

    /// Makes a record of pointers that are followed by other words. This call may collect, so its arguments are handles of the pointers.
    pub fn record(&mut self, tag: u16, ptrs: &[Handle], raws: &[usize]) -> Value {
        // SAFETY: the loops below write all words of the object, and nothing allocates before they have.
        let object = unsafe { self.allocate(Header::record(tag, ptrs.len(), raws.len())) };
        for (index, handle) in ptrs.iter().enumerate() {
            // SAFETY: `object` was allocated above with `ptrs.len()` pointers, and nothing was collected since; no other worker can see it
            // yet.
            unsafe { object.init(index, self.held(*handle).0) };
        }
        for (index, raw) in raws.iter().enumerate() {
            // SAFETY: the `raws.len()` other words follow the pointers in the same new object.
            unsafe { object.init(ptrs.len() + index, *raw) };
        }
        object
    }

    /// Makes an array or vector whose elements are all `word`, with at most `MAX_LENGTH` elements. This call may collect.
    pub fn array(&mut self, pointers: bool, length: usize, word: usize) -> Value {
        let shared = self.world.is_shared();
        let word = if pointers && shared && (length + 1) * WORD > LARGE {
            // SAFETY: this worker is the calling thread's own. If it runs a strand, a thunk has noted its newest frame, and live values are
            // in slots and handles.
            unsafe { promote::promote(self, Value(word)).0 }
        } else {
            word
        };
        let handle = self.hold(if pointers { Value(word) } else { Value(1) });
        // SAFETY: all elements are filled below, before anything allocates.
        let object = unsafe { self.allocate(Header::array(pointers, length)) };
        let word = if pointers { self.held(handle).0 } else { word };
        self.release(handle);
        // SAFETY: `object` was allocated above, with this number of words, and nothing was collected since. No other thread can see it yet.
        unsafe { std::slice::from_raw_parts_mut(object.slot(0), length) }.fill(word);
        if pointers && !self.is_young(object) && self.is_young(Value(word)) {
            debug_assert!(!shared, "promoted above");
            self.remembered_objects.push(object);
        }
        object
    }

    /// Makes an array or vector of words that are not pointers, with at most `MAX_LENGTH` elements. The program must write each word before
    /// it reads that word. This call may collect.
    pub fn blank(&mut self, length: usize) -> Value {
        // SAFETY: the header says that the elements are not pointers, so a collection copies them without following them, even before the
        // program has written them.
        unsafe { self.allocate(Header::array(false, length)) }
    }

    /// Sets the pending exception to an exception of the runtime. Compiled code raises the pending exception as soon as the running
    /// function of the runtime has returned.
    pub fn raise(&mut self, exn: BuiltinExn) {
        assert!(
            !self.packets.is_null(),
            "only a program that runs can raise"
        );
        // SAFETY: the attached program has a table of the packets of all exceptions of the runtime, which stays while the program runs.
        self.pending = unsafe { *self.packets.add(exn as usize) };
    }

    /// Makes the program raise an exception with a payload. The payload is one pointer, in the layout of the exception's declaration in the
    /// Basis.
    pub fn raise_with(&mut self, exn: BuiltinExn, payload: Value) {
        assert!(
            !self.packets.is_null(),
            "only a program that runs can raise"
        );
        let payload = self.hold(payload);
        // SAFETY: `identities` is not null, as `packets` is not; the table has an entry for each `BuiltinExn`, and stays as long as the
        // attached programs.
        let identity = unsafe { *self.world.inner().identities.add(exn as usize) };
        let identity = self.hold(identity);
        self.pending = self.record(0, &[identity, payload], &[]);
        self.release(payload);
    }

    /// Writes a pointer into an existing object. No program may run during the call.
    ///
    /// # Safety
    /// `object` must be an object whose field `index` is a pointer, so that the collector updates the field. No strand may run.
    #[inline]
    pub(crate) unsafe fn write(&mut self, object: Value, index: usize, value: Value) {
        // SAFETY: `object` has a pointer at `index`, and no other thread can see it: no strand runs between two programs.
        unsafe { object.init(index, value.0) };
        if self.is_young(value) && !self.is_young(object) {
            // SAFETY: the slot is within `object`, which is not young: only a major collection moves it, and that forgets all remembered
            // slots.
            unsafe { self.remember(object.slot(index)) };
        }
    }
}
