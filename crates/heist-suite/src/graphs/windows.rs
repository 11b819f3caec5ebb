//! Distances from roots by label correction, in windows of distance.
//!
//! Label correction lowers the distance of a vertex whenever a shorter way to it turns up, and then looks at
//! it again. It is right in any order, but an order that runs ahead (newest first: a long path into the
//! graph) corrects all that lies behind each correction, again and again. So, as in Meyer and Sanders,
//! "Delta-stepping: a parallelizable shortest path algorithm", J. Algorithms 2003, what is too far away
//! waits: distances are cut into buckets, and a worklist takes the nearest bucket's vertices, or those of a
//! window of several buckets, and what they lead to in the same window. Windows get wider while they hold too
//! little work to be worth a worklist, and narrower again.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use heist::worklist::{Queue, Report, Worklist};

/// Stands for a vertex to which no path is known yet.
pub(super) const NONE: u64 = u64::MAX;

/// Fewer items than this are too few for a window.
const FEW: u64 = 2000;

/// After this number of windows with too few items they get wider. Not at once: a graph that has few
/// vertices near the root and most of them a little farther away is done in fewer windows than that, and
/// wider ones would be corrected more.
const PATIENCE: u32 = 8;

/// Items that wait for a later window, by the number of their bucket: vertices, and their distances from the start of the bucket.
type Waiting = BTreeMap<u64, Vec<(u32, u32)>>;

/// Items that one worker has postponed, on a cache line of its own.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Place(Mutex<Waiting>);

impl Place {
    fn get(&mut self) -> &mut Waiting {
        self.0.get_mut().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The number of a bucket, and the items that wait in it.
type Bucket = (u64, Vec<(u32, u32)>);

/// The least distance from a root to each vertex, [`NONE`] where there is no way, if `arcs` gives the
/// vertices that a vertex leads to and how far each is from it, and buckets are so wide.
///
/// Each item is a vertex and its distance from the window's start, at the time; if the vertex has come nearer
/// since, there is another item for it. One that is delivered twice lowers nothing the second time.
pub(super) fn run<Q, A>(
    list: &Worklist<Q>,
    vertices: usize,
    roots: &[u32],
    bucket: u32,
    arcs: impl Fn(u32) -> A + Send + Sync,
) -> (Vec<u64>, Report)
where
    Q: Queue<(u32, u32)>,
    A: Iterator<Item = (u32, u32)>,
{
    let bucket = u64::from(bucket);
    let distances: Vec<AtomicU64> = (0..vertices).map(|_| AtomicU64::new(NONE)).collect();
    // An exchange, no store: a store could bring a longer way back over a shorter one that has been passed on
    // already. Relaxed: a push and its delivery, or the end of a window, order a fall before the look that it
    // asks for.
    let lower = |v: u32, distance: u64| {
        let place = &distances[v as usize];
        place.load(Ordering::Relaxed) > distance
            && place.fetch_min(distance, Ordering::Relaxed) > distance
    };
    // One a worker, so that no lock is waited for.
    let mut waiting: Vec<Place> = Vec::new();
    waiting.resize_with(heist::current_threads().max(1), Place::default);
    let first: Vec<(u32, u32)> = roots
        .iter()
        .filter(|&&v| lower(v, 0))
        .map(|&v| (v, 0))
        .collect();
    waiting[0].get().insert(0, first);
    let mut total = Report::default();
    // Buckets in a window, and small windows in a row.
    let (mut width, mut small) = (1, 0);
    while let Some((from, seeds)) = take(&mut waiting, width) {
        let start = from * bucket;
        // Distances into a window fit into 32 bits, as the width is bounded.
        let end = start.saturating_add(bucket * width);
        let seeds = seeds.into_iter().flat_map(|(number, vertices)| {
            let into = (number - from) * bucket;
            vertices
                .into_iter()
                .map(move |(v, rest)| (v, (into + u64::from(rest)) as u32))
        });
        let report = list.for_each(seeds, |(v, into), context| {
            let distance = start + u64::from(into);
            if distances[v as usize].load(Ordering::Relaxed) < distance {
                return;
            }
            for (w, length) in arcs(v) {
                // Below 2^31 arcs of below 2^32 each.
                let through = distance + u64::from(length);
                if !lower(w, through) {
                    continue;
                }
                if through < end {
                    context.push((w, (through - start) as u32));
                } else {
                    let mine = &waiting[context.worker() % waiting.len()];
                    let mut mine = mine.0.lock().unwrap_or_else(PoisonError::into_inner);
                    let rest = (through % bucket) as u32;
                    mine.entry(through / bucket).or_default().push((w, rest));
                }
            }
        });
        if report.processed >= FEW {
            (width, small) = ((width / 2).max(1), 0);
        } else {
            small += 1;
        }
        if small == PATIENCE {
            (width, small) = ((2 * width).min(u64::from(u32::MAX) / bucket).max(1), 0);
        }
        total += report;
    }
    let distances = distances.into_iter().map(AtomicU64::into_inner).collect();
    (distances, total)
}

/// Takes `width` buckets out of the waiting items, beginning with the nearest one that is not empty. Returns the number of that bucket,
/// and the buckets.
fn take(waiting: &mut [Place], width: u64) -> Option<(u64, Vec<Bucket>)> {
    let nearest = |place: &mut Place| place.get().first_key_value().map(|(&number, _)| number);
    let from = waiting.iter_mut().filter_map(nearest).min()?;
    let mut taken = Vec::new();
    for place in waiting {
        let later = place.get().split_off(&(from + width));
        taken.extend(std::mem::replace(place.get(), later));
    }
    taken.sort_by_key(|&(number, _)| number);
    Some((from, taken))
}
