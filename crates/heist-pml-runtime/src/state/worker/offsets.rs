//! The offsets of the fields that compiled code uses.

use std::mem::offset_of;

use crate::memory::heap::Region;
use crate::state::worker::Worker;

/// Offsets of the fields that compiled code uses.
pub struct Offsets;

// The poll and the request for work are the halves of one aligned word.
const _: () = {
    assert!(offset_of!(Worker, bell.poll) % 8 == 0);
    assert!(offset_of!(Worker, bell.wanted) == offset_of!(Worker, bell.poll) + 4);
};

#[allow(missing_docs)]
impl Offsets {
    pub const ALLOC: i32 = offset_of!(Worker, alloc) as i32;
    pub const LIMIT: i32 = offset_of!(Worker, bell.limit) as i32;
    pub const POLL: i32 = offset_of!(Worker, bell.poll) as i32;
    pub const WANTED: i32 = offset_of!(Worker, bell.wanted) as i32;
    pub const YOUNG: i32 = offset_of!(Worker, young) as i32;
    pub const FRAME: i32 = offset_of!(Worker, frame) as i32;
    pub const PENDING: i32 = offset_of!(Worker, pending) as i32;
    pub const FUNCTIONS: i32 = offset_of!(Worker, functions) as i32;
    pub const REMEMBERED: i32 = offset_of!(Worker, remembered) as i32;
    pub const REMEMBERED_END: i32 = offset_of!(Worker, remembered_end) as i32;
    pub const PACKETS: i32 = offset_of!(Worker, packets) as i32;
    pub const TAKEN: i32 = offset_of!(Worker, taken) as i32;
    pub const JOINED: i32 = offset_of!(Worker, joined) as i32;
    pub const ENV: i32 = offset_of!(Worker, env) as i32;
    pub const RECORDED: i32 = offset_of!(Worker, recorded) as i32;
    pub const SHARED: i32 = offset_of!(Worker, shared) as i32;
    pub const RESULTS: i32 = offset_of!(Worker, results) as i32;
    pub const TASKS_TOP: i32 = offset_of!(Worker, tasks.top) as i32;
    pub const TASKS_BOTTOM: i32 = offset_of!(Worker, tasks.bottom) as i32;
    pub const TASKS_END: i32 = offset_of!(Worker, tasks.end) as i32;
    pub const RAISED: i32 = offset_of!(Worker, raised) as i32;
    pub const LANDED: i32 = offset_of!(Worker, landed) as i32;
    pub const NURSERY: i32 = offset_of!(Worker, nursery) as i32;
    pub const COPYABLE: i32 = offset_of!(Worker, copyable) as i32;
    pub const COPIES: i32 = offset_of!(Worker, copies) as i32;
    pub const REGION_NEXT: i32 = (offset_of!(Worker, region) + Region::NEXT) as i32;
    pub const REGION_END: i32 = (offset_of!(Worker, region) + Region::END) as i32;
    pub const PROMOTED: i32 = offset_of!(Worker, stats.promoted) as i32;
    pub const PROMOTED_BY_COPY: i32 = offset_of!(Worker, stats.promoted_by_copy) as i32;
    pub const PROMOTED_OBJECTS: i32 = offset_of!(Worker, stats.promoted_objects) as i32;
}
