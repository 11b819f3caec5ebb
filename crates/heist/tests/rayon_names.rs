//! Checks that programs written for rayon run with `heist::rayon` in place of `rayon`.
//!
//! The files in the folder `rayon_names` call each method of rayon, and import each item of rayon, that `heist::rayon` has. The script
//! `tools/rayon_names.py` checks that the guide *From rayon* names all methods and items that `heist::rayon` does not have.

/// Checks the value of a call of each named method. `tools/rayon_names.py` reads the names.
macro_rules! calls {
    ($owner:ident: $($name:ident: $call:expr => $expected:expr;)*) => {
        $(assert_eq!($call, $expected, "{}::{}", stringify!($owner), stringify!($name));)*
    };
}

#[path = "rayon_names/pools.rs"]
mod pools;
#[path = "rayon_names/sequences.rs"]
mod sequences;
#[path = "rayon_names/slices.rs"]
mod slices;
#[path = "rayon_names/types.rs"]
mod types;

use heist::rayon;
use rayon::iter::{empty, once, split};
use rayon::prelude::*;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::atomic::{AtomicUsize, Ordering};

/// The first example of rayon's documentation.
fn sum_of_squares(input: &[i32]) -> i32 {
    input.par_iter().map(|&i| i * i).sum()
}

#[test]
fn conversions_have_their_names() {
    assert_eq!(sum_of_squares(&[1, 2, 3]), 14);
    let mut xs: Vec<u32> = (0..100).into_par_iter().collect();
    xs.par_iter_mut()
        .enumerate()
        .for_each(|(i, x)| *x += i as u32);
    assert_eq!(xs.into_par_iter().max(), Some(198));
    let table: HashMap<_, _> = ["a", "bc"]
        .par_iter()
        .map(|word| (*word, word.len()))
        .collect();
    let ordered: BTreeMap<_, _> = table.par_iter().map(|(word, n)| (*n, *word)).collect();
    assert_eq!(
        ordered.into_iter().collect::<Vec<_>>(),
        [(1, "a"), (2, "bc")]
    );
    let kept: HashSet<u8> = Some(3)
        .into_par_iter()
        .chain(once(4))
        .chain(empty())
        .collect();
    assert_eq!(kept, HashSet::from([3, 4]));
}

/// Checks functions of users that take and return rayon's traits.
fn doubled<'d, C>(xs: &'d C) -> impl IndexedParallelIterator<Item = u64>
where
    C: ?Sized + IntoParallelRefIterator<'d, Item = &'d u64, Iter: IndexedParallelIterator>,
{
    xs.par_iter()
        .with_min_len(8)
        .map(|x| 2 * x)
        .with_max_len(64)
}

#[test]
fn traits_have_their_names() {
    let xs: Vec<u64> = doubled(&vec![1, 2, 3])
        .zip(0..3_u64)
        .map(|(x, i)| x * i)
        .collect();
    assert_eq!(xs, [0, 4, 12]);
    let mut words: Vec<String> = "b a c".par_split_whitespace().map(String::from).collect();
    words.par_sort();
    words.par_extend(["d".to_owned()]);
    assert_eq!(words.par_drain(1..).collect::<Vec<_>>(), ["b", "c", "d"]);
    let sums: Vec<i32> = [1, 2, 3, 4, 5]
        .par_chunks(2)
        .map(|chunk| chunk.iter().sum())
        .collect();
    assert_eq!(sums, [3, 7, 5]);
    assert_eq!(
        "1\n2\n3"
            .lines()
            .par_bridge()
            .map(|line| line.len())
            .sum::<usize>(),
        3
    );
    let halves = split(0..16_u32, |range| {
        let middle = range.start.midpoint(range.end);
        let whole = range.len() < 4;
        (
            range.start..if whole { range.end } else { middle },
            (!whole).then_some(middle..range.end),
        )
    });
    assert_eq!(halves.map(|range| range.sum::<u32>()).sum::<u32>(), 120);
}

#[test]
fn scopes_and_pools_have_their_names() {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(2)
        .build()
        .unwrap();
    assert_eq!(pool.current_num_threads(), 2);
    assert!(
        pool.install(rayon::current_thread_index)
            .is_some_and(|index| index < 2)
    );
    assert_eq!(pool.join(|| 1, || 2), (1, 2));
    let count = AtomicUsize::new(0);
    let add = |n| {
        count.fetch_add(n, Ordering::Relaxed);
    };
    pool.scope(|s| {
        s.spawn(|s| {
            add(1);
            s.spawn(|_| add(10));
        });
        add(100);
    });
    rayon::scope(|s: &rayon::Scope<'_>| s.spawn(|_| add(1000)));
    rayon::in_place_scope(|s| s.spawn(|_| add(10_000)));
    assert_eq!(count.load(Ordering::Relaxed), 11_111);
    let (sender, receiver) = std::sync::mpsc::channel();
    pool.spawn(move || sender.send(rayon::current_num_threads()).unwrap());
    assert_eq!(receiver.recv(), Ok(2));
    let default = rayon::ThreadPoolBuilder::new()
        .num_threads(0)
        .build()
        .unwrap();
    assert_eq!(
        default.current_num_threads(),
        heist::default_threads().unwrap()
    );
}
