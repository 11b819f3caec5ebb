//! The CPUs to which the launcher binds each place, derived from NUMA nodes.

use std::fs;
use std::path::Path;

/// The folder that describes the nodes, on Linux.
pub(crate) const SYSFS: &str = "/sys/devices/system/node";
/// An upper bound of CPU numbers: the number of each CPU is smaller.
const CPUS: usize = 1 << 16;

/// A list of CPUs, in ascending order.
pub(crate) type Cpus = Vec<usize>;

/// Returns the CPUs of each place, or `None` if the places are not bound.
///
/// Without a request, or with the request `nodes`, places are bound to the CPUs of the NUMA nodes in the folder `sysfs`, if the
/// process may use CPUs of at least two nodes. With `none`, places are not bound. Any other request lists groups of CPUs, as in
/// `0-3/4-7`. `allowed` is the list of the CPUs that the process may use, or `None` if it is not known.
///
/// # Errors
/// Returns an error if the request has another form, or if a group has a CPU that this process may not use.
pub(crate) fn plan(
    request: Option<&str>,
    sysfs: &Path,
    allowed: Option<&[usize]>,
    places: usize,
) -> Result<Option<Vec<Cpus>>, String> {
    match request {
        None | Some("nodes") => {
            let Some(allowed) = allowed else {
                return Ok(None);
            };
            let mut nodes = nodes(sysfs);
            for node in &mut nodes {
                node.retain(|cpu| allowed.binary_search(cpu).is_ok());
            }
            nodes.retain(|node| !node.is_empty());
            Ok((nodes.len() > 1).then(|| divide(&nodes, places)))
        }
        Some("none") => Ok(None),
        Some(list) => {
            let groups: Option<Vec<Cpus>> = list.split('/').map(parse).collect();
            let groups = groups.filter(|groups| groups.iter().all(|cpus| !cpus.is_empty()));
            let Some(groups) = groups else {
                return Err("is not nodes, none, or groups of CPUs like 0-3/4-7".to_owned());
            };
            let Some(allowed) = allowed else {
                return Err("needs a system that tells which CPUs a process may use".to_owned());
            };
            let mut cpus = groups.iter().flatten();
            if let Some(cpu) = cpus.find(|cpu| allowed.binary_search(cpu).is_err()) {
                return Err(format!("has CPU {cpu}, which this process may not use"));
            }
            Ok(Some(divide(&groups, places)))
        }
    }
}

/// Divides groups of CPUs among places in blocks: place i of n gets group `i * groups / n`. If there are more groups than places, place i
/// also gets all groups up to the group of the next place.
fn divide(groups: &[Cpus], places: usize) -> Vec<Cpus> {
    let first = |place: usize| place * groups.len() / places;
    let places = (0..places).map(|place| {
        let end = first(place + 1).max(first(place) + 1);
        let mut cpus = groups[first(place)..end].concat();
        cpus.sort_unstable();
        cpus.dedup();
        cpus
    });
    places.collect()
}

/// Returns the number of workers of each place. A place gets a share of the `threads` workers in proportion to its share of the `allowed`
/// CPUs. Places with the same CPUs have equal shares. Each place has at least one worker.
pub(crate) fn workers(places: &[Cpus], threads: usize, allowed: usize) -> Vec<usize> {
    let share = |cpus: &Cpus| {
        let sharers = places.iter().filter(|other| *other == cpus).count();
        (cpus.len() * threads / (allowed * sharers)).max(1)
    };
    places.iter().map(share).collect()
}

/// Returns the CPUs of each online node, in the order of the nodes. The list of a node that has only memory is empty.
fn nodes(sysfs: &Path) -> Vec<Cpus> {
    let read = |name: &str| parse(&fs::read_to_string(sysfs.join(name)).ok()?);
    let online = read("online").unwrap_or_default().into_iter();
    online
        .filter_map(|node| read(&format!("node{node}/cpulist")))
        .collect()
}

/// Parses a list of numbers in the form of the kernel, like `0-3,8-11`. Returns the numbers in ascending order, or `None` if the
/// list has another form.
fn parse(list: &str) -> Option<Vec<usize>> {
    let number = |text: &str| text.parse::<usize>().ok().filter(|number| *number < CPUS);
    let mut numbers = Vec::new();
    let list = list.trim();
    for range in list.split(',').filter(|_| !list.is_empty()) {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let (first, last) = (number(first)?, number(last)?);
        if first > last {
            return None;
        }
        numbers.extend(first..=last);
    }
    numbers.sort_unstable();
    numbers.dedup();
    Some(numbers)
}

#[cfg(target_os = "linux")]
mod system {
    use std::io;

    use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

    use super::Cpus;

    /// Returns the CPUs that this thread may use. Returns `None` if the system call fails, for example on systems with more than 1,024
    /// CPUs.
    pub(crate) fn allowed() -> Option<Cpus> {
        let set = sched_getaffinity(None).ok()?;
        let cpus = (0..CpuSet::MAX_CPU).filter(|cpu| set.is_set(*cpu));
        Some(cpus.collect())
    }

    /// Binds this thread to the CPUs. Threads and processes that this thread starts later inherit the binding.
    pub(crate) fn bind(cpus: &[usize]) -> io::Result<()> {
        let mut set = CpuSet::new();
        // `allowed` returns only CPUs below this maximum.
        for cpu in cpus.iter().filter(|cpu| **cpu < CpuSet::MAX_CPU) {
            set.set(*cpu);
        }
        Ok(sched_setaffinity(None, &set)?)
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use std::io;

    use super::Cpus;

    pub(crate) fn allowed() -> Option<Cpus> {
        None
    }

    pub(crate) fn bind(_: &[usize]) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

pub(crate) use system::{allowed, bind};

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    /// A folder that describes nodes. Dropping the value removes the folder.
    struct Sysfs(PathBuf);

    impl Sysfs {
        fn new(name: &str, online: &str, nodes: &[(usize, &str)]) -> Self {
            let folder = format!("heist-places-nodes-{name}-{}", std::process::id());
            let folder = std::env::temp_dir().join(folder);
            for (node, cpus) in nodes {
                let node = folder.join(format!("node{node}"));
                fs::create_dir_all(&node).unwrap();
                fs::write(node.join("cpulist"), format!("{cpus}\n")).unwrap();
            }
            fs::write(folder.join("online"), format!("{online}\n")).unwrap();
            Sysfs(folder)
        }

        /// Returns the plan without a request.
        fn plan(&self, allowed: &[usize], places: usize) -> Option<Vec<Cpus>> {
            let plan = plan(None, &self.0, Some(allowed), places);
            assert_eq!(
                plan,
                super::plan(Some("nodes"), &self.0, Some(allowed), places)
            );
            plan.unwrap()
        }
    }

    impl Drop for Sysfs {
        fn drop(&mut self) {
            fs::remove_dir_all(&self.0).unwrap();
        }
    }

    fn all(cpus: std::ops::Range<usize>) -> Cpus {
        cpus.collect()
    }

    #[test]
    fn lists_of_the_kernel_are_read() {
        assert_eq!(parse("0-3,8-11\n"), Some(vec![0, 1, 2, 3, 8, 9, 10, 11]));
        assert_eq!(parse("5"), Some(vec![5]));
        assert_eq!(parse("4,2-4,0"), Some(vec![0, 2, 3, 4]));
        assert_eq!(parse("\n"), Some(vec![]));
        for wrong in [
            "a",
            "3-1",
            "1,,2",
            "1-",
            "-1",
            "1-2-3",
            "0-99999999999",
            "0 - 3",
            "0x1",
        ] {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn places_fill_the_nodes_in_blocks() {
        let sysfs = Sysfs::new("two", "0-1", &[(0, "0-3,8-11"), (1, "4-7,12-15")]);
        let nodes = [
            vec![0, 1, 2, 3, 8, 9, 10, 11],
            vec![4, 5, 6, 7, 12, 13, 14, 15],
        ];
        for (places, of) in [
            (1, &[][..]),
            (2, &[0, 1]),
            (3, &[0, 0, 1]),
            (4, &[0, 0, 1, 1]),
            (7, &[0, 0, 0, 0, 1, 1, 1]),
        ] {
            let plan = sysfs.plan(&all(0..16), places).unwrap();
            let expected: Vec<Cpus> = of.iter().map(|node: &usize| nodes[*node].clone()).collect();
            if places > 1 {
                assert_eq!(plan, expected);
            } else {
                assert_eq!(plan, [all(0..16)]);
            }
        }
    }

    #[test]
    fn more_nodes_than_places_are_all_used() {
        let nodes = [(0, "0-1"), (1, "2-3"), (2, "4-5"), (3, "6-7"), (10, "8-9")];
        let sysfs = Sysfs::new("five", "0-3,10", &nodes);
        let plan = |places| sysfs.plan(&all(0..10), places).unwrap();
        assert_eq!(plan(2), [all(0..4), all(4..10)]);
        assert_eq!(plan(3), [all(0..2), all(2..6), all(6..10)]);
        assert_eq!(plan(5).concat(), all(0..10));
    }

    #[test]
    fn nodes_without_cpus_and_offline_nodes_are_left_out() {
        let nodes = [(0, "0-1"), (1, ""), (2, "2-3"), (3, "4-5")];
        // Node 4 has no folder.
        let sysfs = Sysfs::new("memory", "0-2,4", &nodes);
        assert_eq!(sysfs.plan(&all(0..6), 2).unwrap(), [[0, 1], [2, 3]]);
        let nodes = [(0, "0-3"), (1, "")];
        let sysfs = Sysfs::new("single", "0-1", &nodes);
        assert_eq!(sysfs.plan(&all(0..4), 2), None);
    }

    #[test]
    fn nodes_that_the_process_may_not_use_are_left_out() {
        let nodes = [(0, "0-3"), (1, "4-7"), (2, "8-11")];
        let sysfs = Sysfs::new("mask", "0-2", &nodes);
        let allowed = [2, 3, 8, 9, 10];
        assert_eq!(
            sysfs.plan(&allowed, 2).unwrap(),
            [vec![2, 3], vec![8, 9, 10]]
        );
        assert_eq!(sysfs.plan(&[5, 6], 2), None);
        assert_eq!(plan(None, &sysfs.0, None, 2), Ok(None));
        assert_eq!(plan(Some("none"), &sysfs.0, Some(&allowed), 2), Ok(None));
        assert_eq!(
            plan(None, Path::new("/nowhere"), Some(&allowed), 2),
            Ok(None)
        );
    }

    #[test]
    fn groups_of_a_request_are_nodes_of_its_own() {
        let plan = |request, places| {
            let nowhere = Path::new("/nowhere");
            plan(Some(request), nowhere, Some(&all(0..8)), places)
        };
        assert_eq!(
            plan("0-1/6,7", 3),
            Ok(Some(vec![vec![0, 1], vec![0, 1], vec![6, 7]]))
        );
        assert_eq!(plan("3", 2), Ok(Some(vec![vec![3], vec![3]])));
        let error = plan("0-1/7-8", 2).unwrap_err();
        assert_eq!(error, "has CPU 8, which this process may not use");
        for wrong in ["", "all", "0-1/", "/", "0-1//2", "0;1"] {
            let error = plan(wrong, 2).unwrap_err();
            assert!(
                error.starts_with("is not nodes, none, or groups"),
                "{wrong}: {error}"
            );
        }
    }

    #[test]
    fn workers_are_divided_like_cpus() {
        let two = [all(0..8), all(8..16)];
        assert_eq!(workers(&divide(&two, 2), 16, 16), [8, 8]);
        assert_eq!(workers(&divide(&two, 3), 16, 16), [4, 4, 8]);
        assert_eq!(workers(&divide(&two, 4), 16, 16), [4; 4]);
        assert_eq!(workers(&divide(&two, 64), 16, 16), [1; 64]);
        // A quota, or `HEIST_NUM_THREADS`, allows fewer threads than CPUs.
        assert_eq!(workers(&divide(&two, 2), 6, 16), [3, 3]);
        assert_eq!(workers(&[all(0..1), all(1..16)], 16, 16), [1, 15]);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_bound_thread_may_use_only_these_cpus() {
        // The test binds a separate thread, so that the mask does not affect other tests.
        let tested = std::thread::spawn(|| {
            let last = allowed().unwrap().pop().unwrap();
            bind(&[last]).unwrap();
            assert_eq!(allowed(), Some(vec![last]));
            assert!(bind(&[]).is_err());
        });
        tested.join().unwrap();
    }
}
