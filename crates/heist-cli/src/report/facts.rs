//! The facts on which a run depends, in words.

use serde_json::Value;

use super::read::Run;

/// Returns the names and values of those facts that the file of the run contains.
pub(super) fn facts(run: &Run) -> Vec<(&'static str, String)> {
    let machine = &run.machine;
    let text = |name: &str| machine.get(name).and_then(Value::as_str);
    let mut facts = Vec::new();
    let mut add = |name, value: Option<String>| {
        facts.extend(
            value
                .filter(|value| !value.is_empty())
                .map(|value| (name, value)),
        );
    };
    add("Command", Some(run.command.join(" ")));
    add("Date", Some(run.date.clone()));
    add("Heist", Some(run.version.clone()));
    add("Source", Some(run.sheet.source.clone()));
    let processor = [text("cpu"), text("architecture")];
    add("Processor", joined(processor.into_iter().flatten()));
    add("CPUs", cpus(machine));
    let system = [text("operating_system"), text("kernel")];
    add("System", joined(system.into_iter().flatten()));
    add("Caches", joined(caches(machine).iter().map(String::as_str)));
    let nodes = machine.get("numa_nodes").and_then(Value::as_array);
    add("NUMA nodes", nodes.map(|nodes| nodes.len().to_string()));
    add("File", Some(run.file.clone()));
    facts
}

fn joined<'a>(parts: impl Iterator<Item = &'a str>) -> Option<String> {
    let parts: Vec<&str> = parts.collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

fn cpus(machine: &Value) -> Option<String> {
    let number = |name: &str| machine.get(name)?.as_u64();
    let allowed = machine.get("cpus_allowed").and_then(Value::as_array);
    let mut text = match (allowed, number("parallelism")) {
        (Some(cpus), _) => format!("{} that the run could use", cpus.len()),
        (None, Some(threads)) => format!("{threads} threads at once"),
        (None, None) => return None,
    };
    if let Some(quota) = machine.get("cgroup_cpu_quota").and_then(Value::as_f64) {
        text = format!("{text}, limited to the time of {quota}");
    }
    if machine.get("hypervisor").and_then(Value::as_bool) == Some(true) {
        text.push_str(", in a virtual machine");
    }
    Some(text)
}

fn caches(machine: &Value) -> Vec<String> {
    let caches = machine.get("caches").and_then(Value::as_array);
    let cache = |cache: &Value| {
        let text = |name: &str| cache.get(name)?.as_str();
        let kind = match text("kind")? {
            "unified" => String::new(),
            kind => format!(" {kind}"),
        };
        Some(format!("L{}{kind} {}", text("level")?, text("size")?))
    };
    caches.into_iter().flatten().filter_map(cache).collect()
}
