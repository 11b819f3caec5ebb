//! Default sizes of heap and stack.

use std::fs;
use std::path::{Path, PathBuf};

/// Size of the largest default stack. With this limit, an endless recursion reaches the end of its stack after a short time.
const LARGEST_STACK: usize = 4 << 30;
/// Size of the smallest default stack.
const SMALLEST_STACK: usize = 64 << 20;

/// Returns the number of bytes of memory that the process may use: the memory of the machine, or the limit of its control group.
pub(crate) fn memory() -> usize {
    // SAFETY: these calls only read settings of the system.
    let (pages, page) = unsafe {
        (
            libc::sysconf(libc::_SC_PHYS_PAGES),
            libc::sysconf(libc::_SC_PAGESIZE),
        )
    };
    let machine = usize::try_from(pages)
        .unwrap_or(0)
        .saturating_mul(usize::try_from(page).unwrap_or(0));
    let groups = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    machine
        .min(granted(&groups, Path::new("/sys/fs/cgroup")))
        .max(1 << 28)
}

/// Returns the smallest memory limit among the groups that `/proc/self/cgroup` names and the groups that contain these groups.
fn granted(groups: &str, root: &Path) -> usize {
    let hierarchies = groups.lines().filter_map(|line| hierarchy(line, root));
    hierarchies
        .flat_map(|(root, group, file)| {
            // In a container, the path may be a path of the host that does not exist in the container. Then the root is the container's own
            // group.
            let group = Path::new(group.trim_start_matches('/'));
            group
                .ancestors()
                .filter_map(|ancestor| fs::read_to_string(root.join(ancestor).join(file)).ok())
                .collect::<Vec<_>>()
        })
        // The text `max` stands for no limit.
        .filter_map(|text| text.trim().parse().ok())
        .min()
        .unwrap_or(usize::MAX)
}

/// Reads a line of `/proc/self/cgroup`, which names a hierarchy of groups and one group in it. Returns the folder of the hierarchy, the
/// group, and the name of the file with the memory limit of a group. Returns `None` if the line has another form, or if the hierarchy does
/// not limit memory.
fn hierarchy<'a>(line: &'a str, root: &Path) -> Option<(PathBuf, &'a str, &'static str)> {
    let mut parts = line.splitn(3, ':');
    let (_, controllers, group) = (parts.next()?, parts.next()?, parts.next()?);
    if controllers.is_empty() {
        return Some((root.to_path_buf(), group, "memory.max"));
    }
    let memory = controllers.split(',').any(|name| name == "memory");
    memory.then(|| (root.join(controllers), group, "memory.limit_in_bytes"))
}

/// Returns the size of each strand's stack in bytes, for a program with this number of workers. Even if the strands of all workers recurse
/// without end, they reach the ends of their stacks before the system runs out of memory.
pub(crate) fn stack(memory: usize, workers: usize) -> usize {
    (memory / 2 / workers.max(1)).clamp(SMALLEST_STACK, LARGEST_STACK)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stacks_of_all_workers_fit_into_memory() {
        assert_eq!(stack(64 << 30, 1), 4 << 30);
        assert_eq!(stack(16 << 30, 2), 4 << 30);
        assert_eq!(stack(16 << 30, 8), 1 << 30);
        assert_eq!(stack(1 << 30, 63), 64 << 20);
    }

    #[test]
    fn groups_limit_memory() {
        let root = std::env::temp_dir().join(format!("heist-defaults-{}", std::process::id()));
        fs::create_dir_all(root.join("a/b")).unwrap();
        fs::create_dir_all(root.join("memory/c")).unwrap();
        let limit = |file: &str, text: &str| fs::write(root.join(file), text).unwrap();
        limit("a/memory.max", "3000\n");
        limit("a/b/memory.max", "max\n");
        limit("memory/c/memory.limit_in_bytes", "2000\n");
        assert_eq!(granted("0::/a/b\n", &root), 3000);
        assert_eq!(granted("0::/a/b\n4:memory:/c\n5:cpu:/d\n", &root), 2000);
        assert_eq!(granted("0::/elsewhere\n", &root), usize::MAX);
        assert_eq!(granted("", &root), usize::MAX);
        fs::remove_dir_all(&root).unwrap();
    }
}
