//! Reads the CPU time that a Linux control group grants, in CPUs.

use std::fs;
use std::path::{Path, PathBuf};

/// Returns the smallest quota of this process's group and its ancestors, or `None` if no quota limits the
/// process.
pub(crate) fn cpu_quota() -> Option<f64> {
    let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
    groups
        .lines()
        .filter_map(hierarchy)
        .flat_map(|(root, group, read)| {
            // In a container, the path may be a path of the host that does not exist in the container, so this function skips unreadable
            // files.
            let group = group.trim_start_matches('/');
            Path::new(group)
                .ancestors()
                .map(|ancestor| read(&root.join(ancestor)))
                .collect::<Vec<_>>()
        })
        .flatten()
        .min_by(f64::total_cmp)
}

type Reader = fn(&Path) -> Option<f64>;

/// Parses a line of `/proc/self/cgroup`. Returns the mount point of the hierarchy, the path of the group in the hierarchy, and the function
/// that reads the group's quota.
fn hierarchy(line: &str) -> Option<(PathBuf, &str, Reader)> {
    let mut parts = line.splitn(3, ':');
    let (_, controllers, group) = (parts.next()?, parts.next()?, parts.next()?);
    if controllers.is_empty() {
        return Some((PathBuf::from("/sys/fs/cgroup"), group, version_2));
    }
    let is_cpu = controllers.split(',').any(|controller| controller == "cpu");
    is_cpu.then(|| {
        (
            Path::new("/sys/fs/cgroup").join(controllers),
            group,
            version_1 as Reader,
        )
    })
}

fn version_2(folder: &Path) -> Option<f64> {
    parse_version_2(&fs::read_to_string(folder.join("cpu.max")).ok()?)
}

fn version_1(folder: &Path) -> Option<f64> {
    let number = |file| {
        fs::read_to_string(folder.join(file))
            .ok()?
            .trim()
            .parse::<f64>()
            .ok()
    };
    quota(number("cpu.cfs_quota_us")?, number("cpu.cfs_period_us")?)
}

/// Parses the text of `cpu.max`: the quota or `max`, and the period.
fn parse_version_2(text: &str) -> Option<f64> {
    let (allowance, period) = text.trim().split_once(' ')?;
    quota(allowance.parse().ok()?, period.parse().ok()?)
}

/// Returns the number of CPUs that a quota allows, or `None` if there is no limit. Version 1 of control groups
/// writes a quota of -1 if there is no limit.
fn quota(allowance: f64, period: f64) -> Option<f64> {
    (allowance > 0.0 && period > 0.0).then(|| allowance / period)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotas() {
        assert_eq!(parse_version_2("150000 100000\n"), Some(1.5));
        assert_eq!(parse_version_2("max 100000\n"), None);
        assert_eq!(parse_version_2(""), None);
        assert_eq!(quota(-1.0, 100_000.0), None);
        assert_eq!(quota(200_000.0, 100_000.0), Some(2.0));
    }

    #[test]
    fn hierarchies() {
        let (root, group, _) = hierarchy("0::/user.slice/a:b").unwrap();
        assert_eq!(
            (root.to_str(), group),
            (Some("/sys/fs/cgroup"), "/user.slice/a:b")
        );
        let (root, group, _) = hierarchy("4:cpu,cpuacct:/docker/x").unwrap();
        assert_eq!(
            (root.to_str(), group),
            (Some("/sys/fs/cgroup/cpu,cpuacct"), "/docker/x")
        );
        assert!(hierarchy("9:memory:/").is_none());
        assert!(hierarchy("nonsense").is_none());
    }
}
