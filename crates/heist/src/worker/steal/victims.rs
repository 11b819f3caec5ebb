//! The order in which a thief looks at victims.

use crate::platform::{CpuPlace, place_of};
use crate::policy::VictimChoice;
use crate::worker::pool::settings::Settings;
use crate::worker::thread::WorkerThread;

/// Number of different distances between workers, from [`Neighbours::distance`].
const DISTANCES: u8 = 3;

/// The positions of the workers' CPUs among caches and memory nodes. The list is empty if the pool does not choose victims by distance, or
/// if the positions are not known.
#[derive(Debug, Default)]
pub(in crate::worker) struct Neighbours(Vec<CpuPlace>);

impl Neighbours {
    /// Returns the positions of workers that are bound to `cpus`.
    pub(in crate::worker) fn new(settings: &Settings, cpus: &[usize]) -> Self {
        if settings.victims != VictimChoice::Hierarchical {
            return Neighbours::default();
        }
        let places: Option<Vec<_>> = cpus.iter().map(|&cpu| place_of(cpu)).collect();
        Neighbours(places.unwrap_or_default())
    }

    /// Returns the distance between the CPUs of two worker slots: 0 if the CPUs share a cache, 1 if they share a memory
    /// node, 2 otherwise.
    fn distance(&self, one: u32, other: u32) -> u8 {
        let place = |slot: u32| self.0[slot as usize % self.0.len()];
        let (one, other) = (place(one), place(other));
        if one.cache == other.cache {
            0
        } else if one.node == other.node {
            1
        } else {
            2
        }
    }
}

impl WorkerThread {
    /// Calls `look` for each other worker, in the order that the pool's settings select, until a call returns `Some`. Returns this value.
    pub(in crate::worker) fn first_of_others<T>(
        &self,
        mut look: impl FnMut(&WorkerThread) -> Option<T>,
    ) -> Option<T> {
        let pool = self.pool();
        let _looking = pool.lookers.look();
        let count = pool.worker_count();
        let first = match pool.settings.victims {
            VictimChoice::Random | VictimChoice::Hierarchical => {
                (self.next_random() >> 33) as usize % count.max(1)
            }
            VictimChoice::RoundRobin => {
                let next = self.as_thief.favourite.get().wrapping_add(1);
                self.as_thief.favourite.set(next);
                usize::from(next) % count.max(1)
            }
            VictimChoice::LastVictim => usize::from(self.as_thief.favourite.get()).min(count),
        };
        let mut look_from_first = |at: Option<u8>| {
            (first..count).chain(0..first).find_map(|id| {
                let victim = pool.victim(id).filter(|victim| victim.id != self.id)?;
                if at.is_some_and(|at| pool.neighbours.distance(self.slot(), victim.slot()) != at) {
                    return None;
                }
                let found = look(victim)?;
                if pool.settings.victims == VictimChoice::LastVictim {
                    self.as_thief.favourite.set(victim.id);
                }
                Some(found)
            })
        };
        if pool.neighbours.0.is_empty() {
            return look_from_first(None);
        }
        (0..DISTANCES).find_map(|distance| look_from_first(Some(distance)))
    }
}

#[cfg(all(test, not(heist_model)))]
mod tests {
    use super::Neighbours;
    use crate::platform::CpuPlace;

    #[test]
    fn a_cache_is_nearer_than_a_node() {
        let place = |cache, node| CpuPlace { cache, node };
        let all = Neighbours(vec![place(0, 0), place(0, 0), place(2, 0), place(4, 1)]);
        assert_eq!(
            [0, 1, 2, 3].map(|other| all.distance(0, other)),
            [0, 0, 1, 2]
        );
        // Worker 4 shares a CPU with another worker, because there are more workers than CPUs.
        assert_eq!(all.distance(4, 1), 0);
    }
}
