//! The CPUs on which the owner and its thieves run.

use std::io;

use crate::affinity;

/// The CPUs for an owner and its thieves.
#[derive(Clone, Debug, Default)]
pub struct Stage {
    /// The CPUs. If the list is empty, the system places the threads.
    cpus: Vec<usize>,
}

impl Stage {
    /// Makes a stage that pins each thread to a CPU of its own, with the owner on the first CPU. If there are fewer CPUs than threads, the
    /// stage lets all threads run on all these CPUs. Without CPUs the system places the threads.
    pub fn on(cpus: Vec<usize>) -> Stage {
        Stage { cpus }
    }

    /// Returns true if each of `threads` threads has a CPU of its own.
    pub fn pins(&self, threads: usize) -> bool {
        !self.cpus.is_empty() && threads <= self.cpus.len()
    }

    /// Moves the calling thread to its CPU. The calling thread is thread `index` of `threads`, and the owner is thread 0.
    ///
    /// # Errors
    /// Returns an error if the system does not allow the thread to run on its CPU.
    pub fn enter(&self, index: usize, threads: usize) -> io::Result<()> {
        if self.pins(threads) {
            affinity::confine_this_thread(&self.cpus[index..=index])
        } else if self.cpus.is_empty() {
            Ok(())
        } else {
            // Do this even if all CPUs are allowed, because an earlier call may have confined the thread to one CPU.
            affinity::confine_this_thread(&self.cpus)
        }
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn each_thread_has_its_cpu_or_shares_all() {
        std::thread::spawn(|| {
            let all = affinity::allowed().unwrap();
            let stage = Stage::on(all.clone());
            assert!(stage.pins(all.len()) && !stage.pins(all.len() + 1));
            stage.enter(all.len() - 1, all.len()).unwrap();
            assert_eq!(affinity::allowed().unwrap(), all[all.len() - 1..]);
            stage.enter(0, all.len() + 1).unwrap();
            assert_eq!(affinity::allowed().unwrap(), all);
            let free = Stage::default();
            free.enter(0, 1).unwrap();
            assert!(!free.pins(1));
        })
        .join()
        .unwrap();
    }
}
