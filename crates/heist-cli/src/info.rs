//! `heist info` describes the machine.

use serde_json::json;

use crate::cpus;
use crate::failure::Failure;
use crate::listing::Listing;
use crate::machine::Machine;
use crate::outfile::Outfile;
use crate::say;
use crate::version::VERSION;

/// Describes the machine.
pub(crate) fn run(args: &Listing) -> Result<(), Failure> {
    let machine = Machine::detect()?;
    if let Some(path) = &args.json {
        let all = json!({"heist": VERSION, "machine": machine});
        return Outfile::open("--json", path)?.fill(&format!("{all:#}\n"));
    }
    say::out(&render(&machine, say::colours_on_stdout()))
}

fn render(machine: &Machine, colours: bool) -> String {
    let unknown = || "not known".to_owned();
    let mut lines: Vec<(&str, String)> = Vec::new();
    lines.push(("heist", VERSION.to_owned()));
    let hypervisor = match machine.hypervisor {
        Some(true) => ", in a virtual machine",
        _ => "",
    };
    let model = machine.cpu.clone().unwrap_or_else(unknown);
    lines.push((
        "CPU",
        format!("{model} ({}{hypervisor})", machine.architecture),
    ));
    lines.push((
        "CPUs online",
        machine.cpus_online.clone().unwrap_or_else(unknown),
    ));
    lines.push((
        "allowed by affinity",
        match &machine.cpus_allowed {
            Some(allowed) => format!("{} of them: {}", allowed.len(), cpus::ranges(allowed)),
            None => unknown(),
        },
    ));
    lines.push((
        "allowed by cgroup",
        match machine.cgroup_cpu_quota {
            Some(quota) => format!("the time of {quota:.2} CPUs"),
            None => "no quota".to_owned(),
        },
    ));
    lines.push(("usable at once", machine.parallelism.to_string()));
    lines.push(("default threads", machine.default_threads.to_string()));
    for (index, cache) in machine.caches.iter().enumerate() {
        let text = format!(
            "L{} {} {}, of CPUs {}",
            cache.level, cache.kind, cache.size, cache.shared_by_cpus
        );
        lines.push((if index == 0 { "caches" } else { "" }, text));
    }
    for (index, node) in machine.numa_nodes.iter().enumerate() {
        lines.push((
            if index == 0 { "NUMA nodes" } else { "" },
            format!("{}: CPUs {}", node.node, node.cpus),
        ));
    }
    lines.push((
        "asymmetric fence",
        if machine.asymmetric_fence {
            "available: forks pay no fence".to_owned()
        } else {
            "not available: every join takes a short lock".to_owned()
        },
    ));
    let kernel = machine.kernel.clone().unwrap_or_else(unknown);
    lines.push(("kernel", format!("{} {kernel}", machine.operating_system)));

    let width = lines.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    lines
        .iter()
        // The text is padded before it is made bold, because escape codes must not count as columns.
        .map(|(name, value)| {
            format!(
                "{}  {value}\n",
                say::bold(&format!("{name:width$}"), colours)
            )
        })
        .collect()
}
