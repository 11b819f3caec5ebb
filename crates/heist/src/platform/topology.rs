//! Distances between CPUs.

/// The place of a CPU among caches and memory nodes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct CpuPlace {
    /// The lowest-numbered CPU that shares the CPU's last level of cache.
    pub(crate) cache: usize,
    /// The memory node of the CPU.
    pub(crate) node: usize,
}

/// Returns the place of CPU `cpu`, if the system provides it.
pub(crate) fn place_of(cpu: usize) -> Option<CpuPlace> {
    if !cfg!(all(target_os = "linux", not(miri))) {
        return None;
    }
    place_below(&format!("/sys/devices/system/cpu/cpu{cpu}"))
}

/// Returns the place of the CPU that a folder of Linux's sysfs describes.
fn place_below(folder: &str) -> Option<CpuPlace> {
    let names = |folder: &str| -> Vec<String> {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        entries
            .filter_map(|entry| entry.file_name().into_string().ok())
            .collect()
    };
    let number = |path: String| -> Option<usize> {
        let text = std::fs::read_to_string(path).ok()?;
        // From a list such as "0-3,8-11", this code takes the first number.
        text.split(|c: char| !c.is_ascii_digit())
            .next()?
            .parse()
            .ok()
    };
    let caches = format!("{folder}/cache");
    let (_, cache) = names(&caches)
        .iter()
        .filter(|name| name.starts_with("index"))
        .filter_map(|name| {
            let level = number(format!("{caches}/{name}/level"))?;
            let shared = number(format!("{caches}/{name}/shared_cpu_list"))?;
            Some((level, shared))
        })
        .max_by_key(|&(level, _)| level)?;
    let node = names(folder)
        .iter()
        .find_map(|name| name.strip_prefix("node")?.parse().ok());
    Some(CpuPlace {
        cache,
        // On a machine with one memory node, the folder may have no entry for the node.
        node: node.unwrap_or(0),
    })
}

#[cfg(all(test, not(miri), not(heist_model)))]
mod tests {
    use super::{CpuPlace, place_below};
    use std::fs::{create_dir_all, write};

    #[test]
    fn finds_the_last_cache_and_the_node() {
        let root = std::env::temp_dir().join(format!("heist-topology-{}", std::process::id()));
        let cpu = root.join("cpu5");
        for (index, level, shared) in [(0, 1, "5\n"), (2, 3, "4-7,12\n"), (1, 2, "5,13\n")] {
            let folder = cpu.join(format!("cache/index{index}"));
            create_dir_all(&folder).unwrap();
            write(folder.join("level"), format!("{level}\n")).unwrap();
            write(folder.join("shared_cpu_list"), shared).unwrap();
        }
        create_dir_all(cpu.join("node1")).unwrap();
        let place = place_below(cpu.to_str().unwrap());
        let none = place_below(root.to_str().unwrap());
        std::fs::remove_dir_all(&root).unwrap();
        assert_eq!(place, Some(CpuPlace { cache: 4, node: 1 }));
        assert_eq!(none, None);
    }
}
