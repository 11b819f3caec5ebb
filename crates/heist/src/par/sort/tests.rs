//! Checks every path of the sorts with small inputs. In tests, the constants of the sorts are so small that several workers share even a
//! slice of two dozen elements.

use super::ParSort;
use crate::Pool;
use proptest::prelude::{ProptestConfig, any, prop, prop_assert_eq, proptest};
use std::cell::Cell;
use std::cmp::Ordering;
use std::fmt::Debug;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Returns the lengths of the inputs. Returns fewer lengths in builds (such as those for Miri) in which each input takes long.
fn sizes() -> Vec<usize> {
    if cfg!(miri) {
        vec![2, 25, 70]
    } else if cfg!(debug_assertions) {
        (0..40)
            .chain((40..120).step_by(5))
            .chain((120..300).step_by(21))
            .chain([1000, 30_000])
            .collect()
    } else {
        (0..120)
            .chain((120..300).step_by(7))
            .chain([1000, 5000, 30_000])
            .collect()
    }
}

fn pools() -> Vec<Pool> {
    let threads: &[usize] = if cfg!(miri) { &[2] } else { &[1, 2, 3, 8] };
    let pool = |&threads| Pool::new(threads).unwrap();
    threads.iter().map(pool).collect()
}

fn noise(i: usize) -> u64 {
    let mut z = (i as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// Returns inputs of `n` elements. Some inputs are random, and all other inputs have a pattern.
fn shapes(n: usize) -> Vec<Vec<u64>> {
    let shape = |f: &dyn Fn(usize) -> u64| (0..n).map(f).collect();
    if cfg!(miri) {
        return vec![
            shape(&noise),
            shape(&|i| (n - i) as u64),
            shape(&|i| noise(i) % 2),
        ];
    }
    vec![
        shape(&noise),
        shape(&|i| i as u64),
        shape(&|i| (n - i) as u64),
        shape(&|i| (n - i) as u64 / 2),
        shape(&|i| if i == n - 1 { 0 } else { i as u64 }),
        shape(&|i| noise(i) % 2),
        shape(&|i| noise(i) % 16),
        shape(&|i| {
            if noise(i) % 10 == 0 { noise(i) } else { 5 }
        }),
        shape(&|_| 7),
        shape(&|i| i.min(n - i) as u64),
        shape(&|i| (i % (n / 7 + 1)) as u64),
    ]
}

/// Checks all sorts that must have the same result as the standard library's sorts.
fn check<T: Ord + Clone + Send + Sync + Debug>(pool: &Pool, input: &[T]) {
    let mut expected = input.to_vec();
    expected.sort();
    let same = |sort: fn(&mut [T])| {
        let mut v = input.to_vec();
        pool.install(|| sort(&mut v));
        assert_eq!(v, expected);
    };
    same(|v| v.par_sort());
    same(|v| v.par_sort_by(T::cmp));
    same(|v| v.par_sort_by_key(T::clone));
    same(|v| v.par_sort_by_cached_key(T::clone));
    same(|v| v.par_sort_unstable());
    same(|v| v.par_sort_unstable_by(T::cmp));
    same(|v| v.par_sort_unstable_by_key(T::clone));
    expected.reverse();
    same_reversed(pool, input, &expected);
}

fn same_reversed<T: Ord + Clone + Send + Sync + Debug>(pool: &Pool, input: &[T], expected: &[T]) {
    let mut v = input.to_vec();
    pool.install(|| v.par_sort_by(|a, b| b.cmp(a)));
    assert_eq!(v, expected);
    let mut v = input.to_vec();
    pool.install(|| v.par_sort_unstable_by(|a, b| b.cmp(a)));
    assert_eq!(v, expected);
}

/// An element of 64 or of 104 bytes. The sort partitions elements of these two sizes by different methods.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Wide<const N: usize>(u64, [u64; N]);

#[test]
fn as_the_standard_library() {
    for pool in pools() {
        for n in sizes() {
            for shape in shapes(n) {
                check(&pool, &shape);
                if n > 300 || !n.is_multiple_of(5) {
                    continue;
                }
                let texts: Vec<String> = shape.iter().map(u64::to_string).collect();
                check(&pool, &texts);
                if n.is_multiple_of(20) {
                    let boxed: Vec<Box<u64>> = shape.iter().copied().map(Box::new).collect();
                    check(&pool, &boxed);
                    let bytes: Vec<u8> = shape.iter().map(|&x| x as u8).collect();
                    check(&pool, &bytes);
                    let wide: Vec<Wide<7>> = shape.iter().map(|&x| Wide(x, [x; 7])).collect();
                    check(&pool, &wide);
                    let wider: Vec<Wide<12>> = shape.iter().map(|&x| Wide(x, [x; 12])).collect();
                    check(&pool, &wider);
                }
            }
            check(&pool, &vec![(); n]);
        }
    }
}

#[test]
fn outside_of_a_pool() {
    for shape in shapes(200) {
        let mut expected = shape.clone();
        expected.sort_unstable();
        let (mut stable, mut unstable, mut keyed) = (shape.clone(), shape.clone(), shape);
        stable.par_sort();
        unstable.par_sort_unstable();
        keyed.par_sort_by_cached_key(|&x| x);
        assert_eq!(stable, expected);
        assert_eq!(unstable, expected);
        assert_eq!(keyed, expected);
    }
}

#[test]
fn equal_elements_keep_their_order() {
    for pool in pools() {
        for n in sizes() {
            let keys: [&dyn Fn(usize) -> u64; 5] = [
                &|i| noise(i) % 2,
                &|i| noise(i) % 5,
                &|i| noise(i) % 50,
                &|i| i as u64 / 2,
                &|i| (n - i) as u64 / 2,
            ];
            for key in keys {
                let mut v: Vec<(u64, usize)> = (0..n).map(|i| (key(i), i)).collect();
                let mut expected = v.clone();
                expected.sort();
                let mut keyed = v.clone();
                let mut cached = v.clone();
                pool.install(|| {
                    v.par_sort_by(|a, b| a.0.cmp(&b.0));
                    keyed.par_sort_by_key(|pair| pair.0);
                    cached.par_sort_by_cached_key(|pair| pair.0);
                });
                assert_eq!(v, expected);
                assert_eq!(keyed, expected);
                assert_eq!(cached, expected);
            }
        }
    }
}

/// An element that counts its drops and owns memory. Only one thread at a time may access such an element.
struct Tracked<'d> {
    value: Box<u64>,
    id: usize,
    looks: Cell<usize>,
    drops: &'d [AtomicUsize],
}

impl Drop for Tracked<'_> {
    fn drop(&mut self) {
        self.drops[self.id].fetch_add(1, Relaxed);
    }
}

type Sort = for<'d> fn(&mut [Tracked<'d>], &(dyn Fn(&Tracked, &Tracked) -> Ordering + Sync));
const SORTS: [Sort; 2] = [
    |v, compare| v.par_sort_by(compare),
    |v, compare| v.par_sort_unstable_by(compare),
];

/// Sorts by `compare`, which may panic. Checks that the slice then has each element once, with the changes that comparisons have made.
fn survive(
    pool: &Pool,
    sort: Sort,
    values: &[u64],
    compare: &(dyn Fn(u64, u64) -> Ordering + Sync),
) -> Result<Vec<u64>, ()> {
    let drops: Vec<AtomicUsize> = values.iter().map(|_| AtomicUsize::new(0)).collect();
    let mut v: Vec<Tracked> = values
        .iter()
        .enumerate()
        .map(|(id, &value)| Tracked {
            value: Box::new(value),
            id,
            looks: Cell::new(0),
            drops: &drops,
        })
        .collect();
    let calls = AtomicUsize::new(0);
    let result = catch_unwind(AssertUnwindSafe(|| {
        pool.install(|| {
            sort(&mut v, &|a, b| {
                calls.fetch_add(1, Relaxed);
                // The counter is not atomic, because only one thread at a time may access an element.
                a.looks.set(a.looks.get() + 1);
                b.looks.set(b.looks.get() + 1);
                compare(*a.value, *b.value)
            });
        });
    }));
    assert!(drops.iter().all(|drops| drops.load(Relaxed) == 0));
    let mut ids: Vec<usize> = v.iter().map(|x| x.id).collect();
    ids.sort_unstable();
    assert!(ids.into_iter().eq(0..values.len()));
    assert!(v.iter().all(|x| *x.value == values[x.id]));
    let looks: usize = v.iter().map(|x| x.looks.get()).sum();
    assert_eq!(looks, 2 * calls.load(Relaxed));
    let values = v.iter().map(|x| *x.value).collect();
    drop(v);
    assert!(drops.iter().all(|drops| drops.load(Relaxed) == 1));
    result.map(|()| values).map_err(drop)
}

#[test]
fn a_panic_leaves_each_element_once() {
    let n = if cfg!(miri) { 70 } else { 600 };
    for pool in pools() {
        for shape in shapes(n) {
            for sort in SORTS {
                let all = AtomicUsize::new(0);
                let sorted = survive(&pool, sort, &shape, &|a, b| {
                    all.fetch_add(1, Relaxed);
                    a.cmp(&b)
                });
                assert!(sorted.unwrap().is_sorted());
                let all = all.into_inner();
                let step = if cfg!(miri) { all / 3 } else { all / 40 } + 1;
                for k in (0..all).step_by(step).chain([all - 1]) {
                    let left = AtomicUsize::new(0);
                    let result = survive(&pool, sort, &shape, &|a, b| {
                        if left.fetch_add(1, Relaxed) == k {
                            resume_unwind(Box::new(k));
                        }
                        a.cmp(&b)
                    });
                    // The pool's schedule affects the number of comparisons only if a run ends early.
                    assert!(result.is_err() || left.into_inner() <= k);
                }
            }
        }
    }
}

#[test]
fn orders_that_contradict_themselves_end() {
    let n = if cfg!(miri) { 70 } else { 3000 };
    let calls = AtomicUsize::new(0);
    let random = |_, _| match noise(calls.fetch_add(1, Relaxed)) % 3 {
        0 => Ordering::Less,
        1 => Ordering::Equal,
        _ => Ordering::Greater,
    };
    let orders: [&(dyn Fn(u64, u64) -> Ordering + Sync); 5] = [
        &random,
        &|_, _| Ordering::Less,
        &|_, _| Ordering::Greater,
        &|a, b| (a ^ 5).wrapping_mul(b | 3).cmp(&(b ^ a)),
        &|a, b| {
            if a % 7 == b % 7 {
                Ordering::Less
            } else {
                a.cmp(&b)
            }
        },
    ];
    for pool in pools() {
        for shape in shapes(n) {
            for order in orders {
                for sort in SORTS {
                    // The standard library may notice the inconsistent order and panic.
                    let _ = survive(&pool, sort, &shape, order);
                }
            }
        }
    }
}

/// A key that counts its instances.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Key<'c>(String, Count<'c>);

struct Count<'c>(&'c AtomicUsize);

impl Drop for Count<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Relaxed);
    }
}

impl PartialEq for Count<'_> {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}
impl Eq for Count<'_> {}
impl PartialOrd for Count<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Count<'_> {
    fn cmp(&self, _: &Self) -> Ordering {
        Ordering::Equal
    }
}

#[test]
fn cached_keys_are_found_once_and_dropped() {
    let n = if cfg!(miri) { 30 } else { 400 };
    for pool in pools() {
        for k in (0..n).step_by(if cfg!(miri) { 13 } else { 1 }).chain([n]) {
            let input: Vec<Box<usize>> = (0..n).map(|i| Box::new(i * 7 % n)).collect();
            let mut v = input.clone();
            let (found, alive) = (AtomicUsize::new(0), AtomicUsize::new(0));
            let result = catch_unwind(AssertUnwindSafe(|| {
                pool.install(|| {
                    v.par_sort_by_cached_key(|x| {
                        if found.fetch_add(1, Relaxed) == k {
                            resume_unwind(Box::new(()));
                        }
                        alive.fetch_add(1, Relaxed);
                        Key(format!("{x:05}"), Count(&alive))
                    });
                });
            }));
            assert_eq!(alive.into_inner(), 0);
            if k == n {
                assert_eq!(found.into_inner(), n);
                assert!(result.is_ok() && v.is_sorted());
            } else {
                assert!(result.is_err() && v == input);
            }
        }
    }
}

#[test]
fn the_work_is_shared() {
    // The comparisons on both sides of a fork wait for each other, so the test ends only if comparisons run on two workers at a
    // time.
    let pool = Pool::new(2).unwrap();
    let workers = [AtomicUsize::new(0), AtomicUsize::new(0)];
    for sort in SORTS {
        let drops: Vec<AtomicUsize> = (0..500).map(|_| AtomicUsize::new(0)).collect();
        let mut v: Vec<Tracked> = (0..500)
            .map(|id| Tracked {
                value: Box::new(noise(id)),
                id,
                looks: Cell::new(0),
                drops: &drops,
            })
            .collect();
        workers.iter().for_each(|seen| seen.store(0, Relaxed));
        pool.install(|| {
            sort(&mut v, &|a, b| {
                let me = crate::current_worker_index().unwrap();
                workers[me].store(1, Relaxed);
                if !cfg!(miri) && workers[1 - me].load(Relaxed) == 0 {
                    std::thread::sleep(std::time::Duration::from_micros(50));
                }
                a.value.cmp(&b.value)
            });
        });
        if !cfg!(miri) {
            assert!(workers.iter().all(|seen| seen.load(Relaxed) == 1));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: if cfg!(miri) { 2 } else { 256 },
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn any_input(
        input in prop::collection::vec(any::<u16>(), 0..if cfg!(miri) { 80 } else { 3000 }),
        values in 1..300u16,
        threads in 1..5usize,
    ) {
        let pool = Pool::new(threads).unwrap();
        let mut v: Vec<(u16, usize)> =
            input.iter().enumerate().map(|(i, x)| (x % values, i)).collect();
        let mut expected = v.clone();
        expected.sort_by_key(|pair| pair.0);
        let mut unstable: Vec<u16> = v.iter().map(|pair| pair.0).collect();
        pool.install(|| {
            v.par_sort_by_key(|pair| pair.0);
            unstable.par_sort_unstable();
        });
        prop_assert_eq!(&v, &expected);
        let expected: Vec<u16> = expected.into_iter().map(|pair| pair.0).collect();
        prop_assert_eq!(unstable, expected);
    }
}
