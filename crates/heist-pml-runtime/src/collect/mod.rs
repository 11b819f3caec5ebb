//! The garbage collector, which is copying, generational and precise.
//!
//! Each worker has a young generation of its own, and all workers share the old generation. A *minor* collection copies the live objects of
//! one worker's young generation to the old generation. The roots of a minor collection are the frames of the worker's strand, the worker's
//! handles, the globals, and the remembered slots. A remembered slot is an old slot to which a young object was written. A minor collection
//! needs no other worker: once a second worker runs, no old object and no other worker's frame refers to a young object (`promote.rs`).
//! When the old generation has grown to a threshold, a *major* collection stops all workers, and copies the live objects of all generations
//! to new chunks. The stopped and the idle workers share the work of a major collection (`team.rs`). Large objects stay where they are.
//! Copies are scanned without recursion.
//!
//! *Promotion* moves or copies objects out of a young generation before other workers may see them (`promote.rs`).

pub mod copy;
pub mod graph;
pub mod limit;
pub mod major;
pub mod minor;
pub mod promote;
pub mod roots;
pub mod samples;
pub mod team;
pub mod verify;
