//! Heap profiles of programs of Parallel ML: the data that the runtime writes, a chart, and a table.

mod view;
#[cfg(feature = "pml")]
mod written;

use serde::Deserialize;

#[cfg(feature = "pml")]
pub(crate) use written::file;

/// The version of the format that this module reads.
const FORMAT: u32 = 1;

/// A heap profile in the form in which the runtime writes it. Sizes are in bytes, and times are in
/// seconds.
#[derive(Debug, Deserialize)]
pub(crate) struct HeapProfile {
    format: u32,
    pub(crate) version: String,
    /// The duration of the run.
    seconds: f64,
    /// Each sampled object represents at least this number of allocated bytes.
    interval: u64,
    sites: Vec<Site>,
    snapshots: Vec<Snapshot>,
}

/// A place that allocates objects of one type.
#[derive(Debug, Deserialize)]
struct Site {
    #[serde(rename = "type")]
    ty: String,
    place: String,
    /// The place in the Basis that allocates, if the allocation is in the Basis.
    within: Option<String>,
    allocated: u64,
}

/// The live bytes at one time.
#[derive(Debug, Deserialize)]
struct Snapshot {
    seconds: f64,
    heap: u64,
    /// Whether the snapshot was taken after a major collection.
    full: bool,
    /// The indices of sites, each with the live bytes of that site.
    live: Vec<(usize, u64)>,
}

impl Snapshot {
    /// Returns the live bytes of all sites.
    fn total(&self) -> u64 {
        self.live.iter().map(|(_, bytes)| bytes).sum()
    }
}

impl HeapProfile {
    /// Reads a profile. Returns a message that describes the problem if the value is not a profile.
    pub(crate) fn parse(value: serde_json::Value) -> Result<HeapProfile, String> {
        let profile: HeapProfile = serde_json::from_value(value)
            .map_err(|error| format!("no heap profile as a program writes it: {error}"))?;
        if profile.format != FORMAT {
            return Err(format!(
                "of format {}, and this program reads format {FORMAT}",
                profile.format
            ));
        }
        let known = |snapshot: &Snapshot| {
            snapshot
                .live
                .iter()
                .all(|(site, _)| *site < profile.sites.len())
        };
        if !profile.snapshots.iter().all(known) {
            return Err("a snapshot names a site that is not in the list".to_owned());
        }
        let times = || profile.snapshots.iter().map(|snapshot| snapshot.seconds);
        let ordered = times().zip(times().skip(1)).all(|(one, next)| one < next);
        if !ordered || times().any(|time| !(0.0..=1e9).contains(&time)) {
            return Err("the snapshots are not in the order of time".to_owned());
        }
        Ok(profile)
    }
}

#[cfg(test)]
mod tests;
