//! Views of a heap profile: a chart, a table and a summary.

use serde_json::{Value, json};

use super::{HeapProfile, Snapshot};
use crate::chart::{Areas, Chart, Layer};
use crate::sheet::{Named, Sheet, Table};
use crate::table::{three_digits, time};

/// The maximum number of sites that have an area of their own.
const LAYERS: usize = 12;
/// The number of sites in the summary.
#[cfg(any(feature = "pml", test))]
const ROWS: usize = 5;
/// The number of snapshots after major collections from which on the chart leaves out all other snapshots.
const ENOUGH: usize = 40;

impl HeapProfile {
    /// Returns the snapshots that the chart shows. Snapshots after major collections are exact, whereas the other snapshots include garbage
    /// among old objects.
    fn shown(&self) -> Vec<&Snapshot> {
        let full = self.snapshots.iter().filter(|snapshot| snapshot.full);
        if full.clone().count() >= ENOUGH {
            return full.collect();
        }
        self.snapshots.iter().collect()
    }

    /// Returns the snapshot with the most live bytes.
    fn peak(&self) -> Option<&Snapshot> {
        let shown = self.shown().into_iter();
        // If several snapshots have the same size, this expression returns the first of them.
        shown.rev().max_by_key(|snapshot| snapshot.total())
    }

    /// Returns, for each site, its index, its live bytes at the peak, and the sum of its live bytes over the shown snapshots. The sites are
    /// sorted by the sum of their live bytes, the largest first.
    fn ranked(&self) -> Vec<(usize, u64, u64)> {
        let mut ranked: Vec<_> = (0..self.sites.len()).map(|site| (site, 0, 0)).collect();
        for snapshot in self.shown() {
            for (site, bytes) in &snapshot.live {
                ranked[*site].2 += bytes;
            }
        }
        for (site, bytes) in self.peak().map_or(&[][..], |peak| &peak.live) {
            ranked[*site].1 += bytes;
        }
        ranked.retain(|(_, _, sum)| *sum > 0);
        ranked.sort_by_key(|(site, at_peak, sum)| (u64::MAX - sum, u64::MAX - at_peak, *site));
        ranked
    }

    /// Returns the description of a site: its type and places.
    fn label(&self, site: usize) -> String {
        let site = &self.sites[site];
        match &site.within {
            Some(within) => format!("{}: {} (by {within})", site.place, site.ty),
            None => format!("{}: {}", site.place, site.ty),
        }
    }

    /// Returns the chart of live bytes over time.
    pub(crate) fn chart(&self) -> Chart {
        let (shown, ranked) = (self.shown(), self.ranked());
        let most = shown.iter().map(|it| it.heap.max(it.total())).max();
        let (unit, size) = unit_of(most.unwrap_or(0));
        let scaled = |bytes: u64| bytes as f64 / size;
        let (first, rest) = ranked.split_at(ranked.len().min(LAYERS));
        let mut layers: Vec<Layer> = first
            .iter()
            .map(|(site, at_peak, _)| Layer {
                name: self.label(*site),
                number: bytes(*at_peak),
                values: values(&shown, |it| it == *site, scaled),
            })
            .collect();
        if !rest.is_empty() {
            layers.push(Layer {
                name: match rest.len() {
                    1 => "1 other site".to_owned(),
                    many => format!("{many} other sites"),
                },
                number: bytes(rest.iter().map(|it| it.1).sum()),
                values: values(&shown, |it| rest.iter().any(|other| other.0 == it), scaled),
            });
        }
        let at = self.peak().map(|peak| peak.seconds);
        let peak = shown.iter().position(|it| Some(it.seconds) == at);
        Chart::Areas(Areas {
            title: "Live bytes by allocation site and type".to_owned(),
            notes: self.notes(),
            x_axis: "time, s".to_owned(),
            y_axis: format!("live, {unit}"),
            times: shown.iter().map(|snapshot| snapshot.seconds).collect(),
            end: self.seconds,
            layers,
            line: shown.iter().map(|snapshot| scaled(snapshot.heap)).collect(),
            line_name: "memory of the heap after the collection".to_owned(),
            number_name: "live at the peak".to_owned(),
            peak,
            peak_name: self.peak().map_or_else(String::new, |peak| {
                format!("peak: {} at {}", bytes(peak.total()), time(peak.seconds))
            }),
        })
    }

    fn notes(&self) -> Vec<String> {
        let mut notes = vec![format!(
            "One sampled object stands for at least {} bytes; {} snapshots in {}.",
            self.interval,
            self.shown().len(),
            time(self.seconds)
        )];
        if self.shown().iter().any(|snapshot| !snapshot.full) {
            notes.push(
                "Some snapshots follow minor collections, and count garbage among old objects."
                    .to_owned(),
            );
        }
        notes
    }

    /// Returns the chart and a table of all sites for `heist report`.
    pub(crate) fn sheet(&self) -> Sheet {
        let cells = |(site, at_peak, _): &(usize, u64, u64)| -> Vec<Value> {
            let it = &self.sites[*site];
            vec![
                json!(it.place),
                json!(it.within),
                json!(it.ty),
                json!(at_peak),
                json!(it.allocated),
            ]
        };
        let columns = ["place", "within", "type", "live_at_peak", "allocated"];
        Sheet {
            title: "Heap profile".to_owned(),
            source: String::new(),
            notes: Vec::new(),
            charts: vec![Named {
                name: "live".to_owned(),
                chart: self.chart(),
            }],
            tables: vec![Table {
                title: "Sites, with bytes".to_owned(),
                columns: columns.map(str::to_owned).to_vec(),
                rows: self.ranked().iter().map(cells).collect(),
            }],
        }
    }

    /// Returns a text with the largest sites at the peak, which ends with a line break.
    #[cfg(any(feature = "pml", test))]
    pub(crate) fn summary(&self) -> String {
        use std::fmt::Write;

        // Only a major collection finds out which old objects are live.
        let full = self.snapshots.iter().filter(|snapshot| snapshot.full);
        let full = full.rev().max_by_key(|snapshot| snapshot.total());
        let peak = full
            .filter(|peak| peak.total() > 0)
            .or_else(|| self.peak().filter(|peak| peak.total() > 0));
        let Some(peak) = peak else {
            return "heap profile: no sampled object was live at any collection\n".to_owned();
        };
        let (total, at) = (bytes(peak.total()), time(peak.seconds));
        let mut text = if peak.full {
            format!("heap profile: {total} live at {at}, the most after a major collection\n")
        } else {
            format!("heap profile: {total} live at {at}, with garbage among old objects\n")
        };
        let mut live = peak.live.clone();
        live.sort_by_key(|(site, bytes)| (u64::MAX - bytes, *site));
        for (site, size) in live.iter().take(ROWS) {
            let _ = writeln!(text, "{:>12}  {}", bytes(*size), self.label(*site));
        }
        text
    }
}

/// Returns the sum of the bytes of some sites in each snapshot.
fn values(
    shown: &[&Snapshot],
    wanted: impl Fn(usize) -> bool,
    scaled: impl Fn(u64) -> f64,
) -> Vec<f64> {
    let sum = |snapshot: &&Snapshot| {
        let those = snapshot.live.iter().filter(|(site, _)| wanted(*site));
        scaled(those.map(|(_, bytes)| bytes).sum())
    };
    shown.iter().map(sum).collect()
}

/// Returns the unit for sizes up to `most`, and the number of bytes of the unit.
fn unit_of(most: u64) -> (&'static str, f64) {
    match most {
        0..0x10_0000 => ("KiB", 1024.0),
        0x10_0000..0x4000_0000 => ("MiB", 1024.0 * 1024.0),
        _ => ("GiB", 1024.0 * 1024.0 * 1024.0),
    }
}

/// Returns a size with its unit.
fn bytes(bytes: u64) -> String {
    if bytes == 0 {
        return "0".to_owned();
    }
    let (unit, size) = unit_of(bytes);
    format!("{} {unit}", three_digits(bytes as f64 / size))
}
