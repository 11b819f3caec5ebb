//! The properties of the machine on which measured times depend. These properties do not include the names of the machine or its user,
//! because users share their results with others.

use std::fs;
use std::path::{Path, PathBuf};

use heist_suite::affinity;
use serde::Serialize;

use crate::cgroup;
use crate::failure::Failure;
use crate::plan::own_threads;

/// The properties of the machine that this process can read. Facts that the system does not report are `None` or empty.
#[derive(Serialize)]
pub(crate) struct Machine {
    pub(crate) cpu: Option<String>,
    pub(crate) architecture: &'static str,
    pub(crate) operating_system: &'static str,
    pub(crate) kernel: Option<String>,
    pub(crate) hypervisor: Option<bool>,
    /// The online CPUs, in the form of the kernel.
    pub(crate) cpus_online: Option<String>,
    /// The CPUs on which this process may run.
    pub(crate) cpus_allowed: Option<Vec<usize>>,
    /// The CPU time that the control group grants, as a number of CPUs.
    pub(crate) cgroup_cpu_quota: Option<f64>,
    /// The number of CPUs that the process may use, after all limits, as the standard library computes it.
    pub(crate) parallelism: usize,
    /// The caches of the first allowed CPU.
    pub(crate) caches: Vec<Cache>,
    pub(crate) numa_nodes: Vec<Node>,
    pub(crate) asymmetric_fence: bool,
    pub(crate) default_threads: usize,
}

/// A cache of one CPU.
#[derive(Serialize)]
pub(crate) struct Cache {
    pub(crate) level: String,
    pub(crate) kind: String,
    pub(crate) size: String,
    pub(crate) shared_by_cpus: String,
}

/// A NUMA node.
#[derive(Serialize)]
pub(crate) struct Node {
    pub(crate) node: usize,
    pub(crate) cpus: String,
}

impl Machine {
    /// Collects the facts about the machine.
    pub(crate) fn detect() -> Result<Machine, Failure> {
        let allowed = affinity::allowed().ok();
        let cpuinfo = fs::read_to_string("/proc/cpuinfo").ok();
        let first = allowed
            .as_ref()
            .and_then(|cpus| cpus.first().copied())
            .unwrap_or(0);
        Ok(Machine {
            cpu: cpuinfo.as_deref().and_then(model),
            architecture: std::env::consts::ARCH,
            operating_system: std::env::consts::OS,
            kernel: line(Path::new("/proc/sys/kernel/osrelease")).map(|name| release(&name)),
            hypervisor: cpuinfo.as_deref().and_then(hypervisor),
            cpus_online: line(Path::new("/sys/devices/system/cpu/online")),
            cpus_allowed: allowed,
            cgroup_cpu_quota: cgroup::cpu_quota(),
            parallelism: std::thread::available_parallelism().map_or(1, usize::from),
            caches: caches(first),
            numa_nodes: numa_nodes(),
            asymmetric_fence: heist::asymmetric_fence_available(),
            default_threads: own_threads()?,
        })
    }
}

/// Returns a kernel's version without its suffixes. A suffix may name the machine or its owner.
fn release(name: &str) -> String {
    let version = name.split(|c: char| c != '.' && !c.is_ascii_digit()).next();
    version.unwrap_or_default().to_owned()
}

/// Returns the model of the CPU. Architectures use different names for the line of `cpuinfo` with the model. This function uses the first
/// line with one of these names.
fn model(cpuinfo: &str) -> Option<String> {
    ["model name", "Model Name", "cpu model", "uarch", "cpu"]
        .into_iter()
        .find_map(|name| field(cpuinfo, name))
}

/// Returns true if the CPU reports a hypervisor. Linux lists the flags of the CPU only on x86.
fn hypervisor(cpuinfo: &str) -> Option<bool> {
    field(cpuinfo, "flags").map(|flags| flags.split(' ').any(|flag| flag == "hypervisor"))
}

fn field(cpuinfo: &str, name: &str) -> Option<String> {
    cpuinfo
        .lines()
        .filter_map(|line| line.split_once(':'))
        .find(|(key, _)| key.trim() == name)
        .map(|(_, value)| value.trim().to_owned())
}

fn caches(cpu: usize) -> Vec<Cache> {
    numbered(
        &PathBuf::from(format!("/sys/devices/system/cpu/cpu{cpu}/cache")),
        "index",
    )
    .into_iter()
    .filter_map(|(_, folder)| {
        Some(Cache {
            level: line(&folder.join("level"))?,
            kind: line(&folder.join("type"))?.to_lowercase(),
            size: line(&folder.join("size"))?,
            shared_by_cpus: line(&folder.join("shared_cpu_list"))?,
        })
    })
    .collect()
}

fn numa_nodes() -> Vec<Node> {
    numbered(Path::new("/sys/devices/system/node"), "node")
        .into_iter()
        .filter_map(|(node, folder)| {
            Some(Node {
                node,
                cpus: line(&folder.join("cpulist"))?,
            })
        })
        .collect()
}

/// Returns the entries of `folder` whose names are `prefix` and a number, sorted by number.
fn numbered(folder: &Path, prefix: &str) -> Vec<(usize, PathBuf)> {
    let mut entries: Vec<(usize, PathBuf)> = fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| {
            let number = entry
                .file_name()
                .to_str()?
                .strip_prefix(prefix)?
                .parse()
                .ok()?;
            Some((number, entry.path()))
        })
        .collect();
    entries.sort();
    entries
}

fn line(path: &Path) -> Option<String> {
    Some(fs::read_to_string(path).ok()?.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kernel_is_its_version() {
        assert_eq!(release("6.12.9-amd64"), "6.12.9");
        assert_eq!(release("6.1.0+owner"), "6.1.0");
    }

    #[test]
    fn cpuinfo_fields() {
        let text =
            "processor\t: 0\nmodel name\t: Some CPU @ 2 GHz\nflags\t\t: fpu hypervisor sse2\n";
        assert_eq!(model(text).as_deref(), Some("Some CPU @ 2 GHz"));
        assert_eq!(hypervisor(text), Some(true));
        assert_eq!(hypervisor("flags : fpu\n"), Some(false));
        assert_eq!(hypervisor("Features : fp asimd\n"), None);
    }
}
