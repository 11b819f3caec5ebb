//! The CPUs to which the threads of a pool are bound: by the pool, or by the program's handlers.

use crate::platform::{CpuSet, allowed_cpus, pin_current_thread};
use std::sync::OnceLock;

/// The CPUs of each worker slot. A thread that takes a slot over is bound as the slot's first worker was: otherwise two workers might
/// share a CPU, and another one idle.
#[derive(Debug)]
pub(in crate::worker) struct Binding {
    /// If the pool binds its workers: to these in turn.
    cpus: Vec<usize>,
    /// The set of the thread that made the pool, which its threads inherit.
    usual: Option<CpuSet>,
    /// The binding of each slot's first worker by the program, if there is one.
    chosen: Box<[OnceLock<Chosen>]>,
    /// Set if any of these is.
    any_chosen: OnceLock<()>,
}

/// A set of CPUs to which the program has bound a worker.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Chosen {
    set: CpuSet,
    /// The CPU, if it is one.
    single: Option<usize>,
}

impl Binding {
    pub(super) fn new(pin: bool, slots: usize) -> Self {
        Binding {
            cpus: if pin { allowed_cpus() } else { Vec::new() },
            usual: CpuSet::of_this_thread(),
            chosen: (0..slots).map(|_| OnceLock::new()).collect(),
            any_chosen: OnceLock::new(),
        }
    }

    /// The CPUs to which the pool binds its workers in turn; none if it does not.
    pub(in crate::worker) fn cpus(&self) -> &[usize] {
        &self.cpus
    }

    fn chosen(&self, slot: u32) -> Option<&Chosen> {
        self.chosen.get(slot as usize)?.get()
    }

    fn pinned(&self, slot: u32) -> Option<usize> {
        (!self.cpus.is_empty()).then(|| self.cpus[slot as usize % self.cpus.len()])
    }

    /// The one CPU that the slot's worker is bound to, if it is.
    pub(in crate::worker) fn cpu_of(&self, slot: u32) -> Option<usize> {
        match self.chosen(slot) {
            Some(chosen) => chosen.single,
            None => self.pinned(slot),
        }
    }

    /// Binds the current thread, the first that has this slot. The program may have bound it already.
    pub(in crate::worker) fn bind_first(&self, slot: u32) {
        if let Some(cpu) = self.pinned(slot) {
            pin_current_thread(cpu);
        }
    }

    /// Binds the current thread, which has taken that slot over.
    pub(in crate::worker) fn bind(&self, slot: u32) {
        if let Some(chosen) = self.chosen(slot) {
            chosen.set.bind();
        } else if let Some(cpu) = self.pinned(slot) {
            pin_current_thread(cpu);
        } else if let (Some(()), Some(usual)) = (self.any_chosen.get(), &self.usual) {
            // It may have had another slot before.
            usual.bind();
        }
    }

    /// Takes note of how the program has bound the current thread, the first that has this slot.
    pub(in crate::worker) fn learn(&self, slot: u32) {
        let (Some(set), Some(usual), Some(chosen)) = (
            CpuSet::of_this_thread(),
            &self.usual,
            self.chosen.get(slot as usize),
        ) else {
            return;
        };
        let single = set.single();
        let by_pool = self.pinned(slot).is_some_and(|cpu| single == Some(cpu));
        if set != *usual && !by_pool {
            let _ = chosen.set(Chosen { set, single });
            let _ = self.any_chosen.set(());
        }
    }
}
