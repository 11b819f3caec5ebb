//! Computes distances from roots by label correction, in windows of distance.
//!
//! Label correction lowers the distance of a vertex whenever it finds a shorter path to the vertex, and then processes the vertex again.
//! The result is correct in any order. But some orders of processing repeat much work. For example, the newest-first order follows a long
//! path into the graph, and repeats the whole path after each correction near its beginning. So vertices beyond the current window wait, as
//! in Meyer and Sanders, "Delta-stepping: a parallelizable shortest path algorithm", J. Algorithms 2003. Distances are divided into
//! buckets. A window is the nearest bucket, or several of the nearest buckets. A worklist processes the vertices of the window, and all
//! vertices of the window that it reaches from these vertices. Windows become wider while they contain too little work for a worklist. When
//! windows contain more work, they become narrower again.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use heist::worklist::{Queue, Report, Worklist};

/// The distance of a vertex as long as no path to the vertex is known.
pub(super) const NONE: u64 = u64::MAX;

/// A window with fewer items than this number counts as small.
const FEW: u64 = 2000;

/// The number of consecutive small windows after which windows become wider. Windows do not become wider immediately, because some graphs
/// have few vertices near the root and most vertices a little farther away. On a graph of this kind, the algorithm needs fewer windows than
/// this number, and wider windows would need more corrections.
const PATIENCE: u32 = 8;

/// Items that wait for a later window. The key is the number of a bucket. The items of a bucket are vertices with their distances from the
/// start of the bucket.
type Waiting = BTreeMap<u64, Vec<(u32, u32)>>;

/// The items that one worker has postponed, on separate cache lines.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Place(Mutex<Waiting>);

impl Place {
    fn get(&mut self) -> &mut Waiting {
        self.0.get_mut().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A bucket: its number, and the items that wait in it.
type Bucket = (u64, Vec<(u32, u32)>);

/// Returns the least distance from a root to each vertex, or [`NONE`] if there is no path. `arcs` returns the vertices to which a vertex
/// leads, each with the length of the arc. `bucket` is the width of a bucket.
///
/// An item is a vertex and its distance from the window's start when the item was pushed. If the distance of the vertex has fallen since
/// the push, the worklist has another item for this vertex. If a deque delivers an item twice, the second delivery lowers no distance.
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
    // Use a read-modify-write, because a store could replace a lower distance, which a worker has already passed on, by a higher distance.
    // Relaxed: the push and the delivery of an item, or the end of a window, order the change of a distance before the read that the item
    // causes.
    let lower = |v: u32, distance: u64| {
        let place = &distances[v as usize];
        place.load(Ordering::Relaxed) > distance
            && place.fetch_min(distance, Ordering::Relaxed) > distance
    };
    // Each worker has a map of its own, so that no worker waits for a lock.
    let mut waiting: Vec<Place> = Vec::new();
    waiting.resize_with(heist::current_threads().max(1), Place::default);
    let first: Vec<(u32, u32)> = roots
        .iter()
        .filter(|&&v| lower(v, 0))
        .map(|&v| (v, 0))
        .collect();
    waiting[0].get().insert(0, first);
    let mut total = Report::default();
    // The number of buckets in a window, and the number of small windows in a row.
    let (mut width, mut small) = (1, 0);
    while let Some((from, seeds)) = take(&mut waiting, width) {
        let start = from * bucket;
        // Distances from the start of a window fit into 32 bits, because the width is bounded.
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
                // This sum cannot overflow: a path has fewer than 2^31 arcs, and the length of each arc is less than 2^32.
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

/// Takes `width` buckets out of the waiting items. The first of the returned buckets is the nearest bucket that is not empty. Returns the
/// number of the first bucket, and the buckets.
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
