//! Compares every operation with the same operation of an iterator. The tests cut the sequences at every possible position.

use super::ways::{self, Choices, FEW, WAYS, by_choices, forced, under_every_schedule};
use super::{POOLS, pool};
use crate::par::prelude::*;
use crate::par::splitting::forced::Forced;
use crate::par::{Rope, map2, tabulate};
use proptest::prelude::{ProptestConfig, any, prop, proptest};
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, HashSet, VecDeque};
use std::ops::ControlFlow;

/// Runs an operation on some items in parts, and compares the result with that of the standard library's operation.
type Operation = fn(&[i64], Forced<'_>);

macro_rules! operations {
    ($($name:ident: |$xs:ident, $by:ident| $ours:expr => $theirs:expr;)*) => {
        pub(super) const OPERATIONS: &[(&str, Operation)] = &[$(
            (stringify!($name), |$xs: &[i64], $by: Forced<'_>| {
                ways::assert_same(&$ours, &$theirs);
            }),
        )*];
    };
}

mod pieces;
mod sequences;

/// Returns the operations of all tables.
fn operations() -> impl Iterator<Item = &'static (&'static str, Operation)> {
    [OPERATIONS, pieces::OPERATIONS, sequences::OPERATIONS]
        .into_iter()
        .flatten()
}

fn text(x: &i64) -> String {
    x.to_string()
}

/// Returns an error for some items.
fn tried(x: &i64) -> Result<i64, i64> {
    if x.rem_euclid(5) == 4 {
        Err(*x)
    } else {
        Ok(*x)
    }
}

/// Returns the texts of the items. An operation gets these texts by value, and the texts own memory.
fn owned(xs: &[i64]) -> Vec<String> {
    xs.iter().map(text).collect()
}

fn halves<T>(xs: &[T]) -> (&[T], &[T]) {
    xs.split_at(xs.len() / 2)
}

/// Returns a rope with leaves of three items. Only the first and the last leaf may be shorter.
fn rope(xs: &[i64]) -> Rope<i64> {
    let (left, right) = xs.split_at(xs.len() / 3);
    let (left, right): (Rope<i64>, Rope<i64>) = (
        left.par().copied().collect_rope(3),
        right.par().copied().collect_rope(3),
    );
    left.concat(right)
}

/// Joins two runs of positions. The right run must begin where the left run ends.
fn neighbours(left: Option<(usize, usize)>, right: (usize, usize)) -> (usize, usize) {
    let Some(left) = left else {
        return right;
    };
    assert_eq!(left.1, right.0, "not neighbours");
    (left.0, right.1)
}

operations! {
    // Adapters that map each item to one item.
    map: |xs, by| xs.par().splitting(by).map(|x| x * 3).collect::<Vec<_>>()
        => xs.iter().map(|x| x * 3).collect::<Vec<_>>();
    map_to_strings: |xs, by| xs.par().splitting(by).map(text).collect::<Vec<_>>() => owned(xs);
    map_init: |xs, by| xs.par().splitting(by).map_init(String::new, |s, x| { *s = text(x); s.clone() }).collect::<Vec<_>>()
        => owned(xs);
    inspect: |xs, by| { let seen = std::sync::Mutex::new(Vec::new());
        xs.par().splitting(by).inspect(|x| seen.lock().unwrap().push(**x)).for_each(drop);
        let mut seen = seen.into_inner().unwrap(); seen.sort_unstable(); seen }
        => { let mut all = xs.to_vec(); all.sort_unstable(); all };
    progress: |xs, by| { let told = std::sync::atomic::AtomicUsize::new(0);
        let tell = |count| _ = told.fetch_add(count, std::sync::atomic::Ordering::Relaxed);
        let kept = xs.par().splitting(by).progress(tell).filter(|x| **x % 2 == 0).collect::<Vec<_>>();
        let pairs = xs.par().splitting(by).progress(tell).zip(xs).rev().collect::<Vec<_>>();
        (kept, pairs, told.into_inner()) }
        => (xs.iter().filter(|x| **x % 2 == 0).collect::<Vec<_>>(), xs.iter().zip(xs).rev().collect::<Vec<_>>(), 2 * xs.len());
    copied: |xs, by| xs.par().splitting(by).copied().collect::<Vec<_>>() => xs.to_vec();
    cloned: |xs, by| owned(xs).par().splitting(by).cloned().collect::<Vec<_>>() => owned(xs);
    enumerate: |xs, by| xs.par().splitting(by).enumerate().collect::<Vec<_>>() => xs.iter().enumerate().collect::<Vec<_>>();
    rev: |xs, by| owned(xs).into_par().splitting(by).rev().collect::<Vec<_>>()
        => owned(xs).into_iter().rev().collect::<Vec<_>>();
    step_by: |xs, by| owned(xs).into_par().splitting(by).step_by(2).collect::<Vec<_>>()
        => owned(xs).into_iter().step_by(2).collect::<Vec<_>>();
    skip: |xs, by| owned(xs).into_par().splitting(by).skip(2).collect::<Vec<_>>()
        => owned(xs).into_iter().skip(2).collect::<Vec<_>>();
    take: |xs, by| owned(xs).into_par().splitting(by).take(3).collect::<Vec<_>>()
        => owned(xs).into_iter().take(3).collect::<Vec<_>>();
    zip: |xs, by| owned(xs).into_par().splitting(by).zip(xs).collect::<Vec<_>>()
        => owned(xs).into_iter().zip(xs).collect::<Vec<_>>();
    zip_with_shorter: |xs, by| owned(xs).into_par().splitting(by).zip(owned(xs).into_par().skip(1)).collect::<Vec<_>>()
        => owned(xs).into_iter().zip(owned(xs).into_iter().skip(1)).collect::<Vec<_>>();
    chain: |xs, by| { let (a, b) = halves(xs); owned(a).into_par().splitting(by).chain(owned(b)).collect::<Vec<_>>() }
        => owned(xs);
    chain_of_three: |xs, by| { let (a, b) = halves(xs); let (b, c) = halves(b);
        a.par().splitting(by).chain(b).chain(c).enumerate().map(|(i, x)| (i, *x)).collect::<Vec<_>>() }
        => xs.iter().copied().enumerate().collect::<Vec<_>>();
    map2: |xs, by| map2(xs.par().splitting(by), owned(xs), |x, s| format!("{x}{s}")).collect::<Vec<_>>()
        => xs.iter().map(|x| format!("{x}{x}")).collect::<Vec<_>>();
    tabulate: |xs, by| tabulate(xs.len(), |i| xs[i] + 1).splitting(by).collect::<Vec<_>>()
        => xs.iter().map(|x| x + 1).collect::<Vec<_>>();
    pairs: |xs, by| (xs, owned(xs)).into_par().splitting(by).collect::<Vec<_>>()
        => xs.iter().zip(owned(xs)).collect::<Vec<_>>();
    triples: |xs, by| (xs, owned(xs), 0..xs.len()).into_par().splitting(by).collect::<Vec<_>>()
        => xs.iter().zip(owned(xs)).enumerate().map(|(i, (x, s))| (x, s, i)).collect::<Vec<_>>();
    quadruples: |xs, by| (xs, owned(xs), 0..xs.len(), xs.to_vec()).into_par().splitting(by).collect::<Vec<_>>()
        => xs.iter().zip(owned(xs)).enumerate().map(|(i, (x, s))| (x, s, i, *x)).collect::<Vec<_>>();

    // Adapters that yield any number of items for an item.
    filter: |xs, by| owned(xs).into_par().splitting(by).filter(|s| s.len() > 1).collect::<Vec<_>>()
        => owned(xs).into_iter().filter(|s| s.len() > 1).collect::<Vec<_>>();
    filter_map: |xs, by| xs.par().splitting(by).filter_map(|x| tried(x).err()).collect::<Vec<_>>()
        => xs.iter().filter_map(|x| tried(x).err()).collect::<Vec<_>>();
    flat_map: |xs, by| xs.par().splitting(by).flat_map(|x| (0..x.rem_euclid(3)).par().map(move |i| i + x)).collect::<Vec<_>>()
        => xs.iter().flat_map(|x| (0..x.rem_euclid(3)).map(move |i| i + x)).collect::<Vec<_>>();
    flat_map_in_parts: |xs, by| xs.par().flat_map(|x| (0..x.rem_euclid(3)).par().splitting(by).map(move |i| i + x)).collect::<Vec<_>>()
        => xs.iter().flat_map(|x| (0..x.rem_euclid(3)).map(move |i| i + x)).collect::<Vec<_>>();
    flat_map_iter: |xs, by| xs.par().splitting(by).flat_map_iter(|x| vec![text(x); x.rem_euclid(3) as usize]).collect::<Vec<_>>()
        => xs.iter().flat_map(|x| vec![text(x); x.rem_euclid(3) as usize]).collect::<Vec<_>>();
    flatten: |xs, by| xs.par().splitting(by).map(|x| owned(&[*x][..x.rem_euclid(2) as usize])).flatten().collect::<Vec<_>>()
        => xs.iter().filter(|x| x.rem_euclid(2) == 1).map(text).collect::<Vec<_>>();
    flatten_ropes: |xs, by| xs.par().splitting(by).map(|x| rope(&vec![*x; x.rem_euclid(3) as usize]))
            .flat_map(|all| all.iter().copied().collect::<Vec<_>>()).collect_rope(2).into_iter().collect::<Vec<_>>()
        => xs.iter().flat_map(|x| vec![*x; x.rem_euclid(3) as usize]).collect::<Vec<_>>();

    // Sources of sequences.
    par_mut: |xs, by| { let mut all = xs.to_vec(); all.par_mut().splitting(by).enumerate().for_each(|(i, x)| *x += i as i64); all }
        => xs.iter().zip(0..).map(|(x, i)| x + i).collect::<Vec<_>>();
    par_chunks: |xs, by| xs.par_chunks(2).splitting(by).collect::<Vec<_>>() => xs.chunks(2).collect::<Vec<_>>();
    par_windows: |xs, by| xs.par_windows(2).splitting(by).collect::<Vec<_>>() => xs.windows(2).collect::<Vec<_>>();
    par_chunks_mut: |xs, by| { let mut all = xs.to_vec();
        all.par_chunks_mut(2).splitting(by).enumerate().for_each(|(i, chunk)| { chunk.reverse(); chunk[0] += i as i64; }); all }
        => { let mut all = xs.to_vec();
        all.chunks_mut(2).enumerate().for_each(|(i, chunk)| { chunk.reverse(); chunk[0] += i as i64; }); all };
    range: |xs, by| (3..3 + xs.len() as u16).par().splitting(by).collect::<Vec<_>>() => (3..3 + xs.len() as u16).collect::<Vec<_>>();
    range_at_the_end: |xs, by| (i64::MAX - xs.len() as i64..i64::MAX).par().splitting(by).collect::<Vec<_>>()
        => (i64::MAX - xs.len() as i64..i64::MAX).collect::<Vec<_>>();
    inclusive_range: |xs, by| (-1..=xs.len() as i32 - 2).par().splitting(by).collect::<Vec<_>>()
        => (-1..=xs.len() as i32 - 2).collect::<Vec<_>>();
    inclusive_range_at_the_end: |xs, by| (usize::MAX - xs.len()..=usize::MAX).par().splitting(by).collect::<Vec<_>>()
        => (usize::MAX - xs.len()..=usize::MAX).collect::<Vec<_>>();
    all_of_a_byte_from_behind: |xs, by| (u8::MAX - xs.len() as u8..=u8::MAX).par().splitting(by).rev().collect::<Vec<_>>()
        => (u8::MAX - xs.len() as u8..=u8::MAX).rev().collect::<Vec<_>>();
    characters: |xs, by| owned(xs).concat().chars().collect::<Vec<_>>().into_par().splitting(by).collect::<String>()
        => owned(xs).concat();
    deque: |xs, by| { let mut all: VecDeque<_> = xs.iter().copied().collect(); all.rotate_left(xs.len() / 2);
        all.par().splitting(by).copied().collect::<Vec<_>>() }
        => { let mut all = xs.to_vec(); all.rotate_left(xs.len() / 2); all };
    deque_by_value: |xs, by| { let mut all: VecDeque<_> = owned(xs).into(); all.rotate_left(xs.len() / 2);
        all.into_par().splitting(by).collect::<Vec<_>>() }
        => { let mut all = owned(xs); all.rotate_left(xs.len() / 2); all };
    boxed: |xs, by| owned(xs).into_boxed_slice().into_par().splitting(by).collect::<Vec<_>>() => owned(xs);
    array: |xs, by| { let all: [i64; 5] = std::array::from_fn(|i| xs.get(i).copied().unwrap_or(7));
        all.map(|x| x.to_string()).into_par().splitting(by).collect::<Vec<_>>() }
        => (0..5).map(|i| text(xs.get(i).unwrap_or(&7))).collect::<Vec<_>>();
    tree: |xs, by| xs.iter().copied().collect::<BTreeSet<_>>().into_par().splitting(by).collect::<Vec<_>>()
        => xs.iter().copied().collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>();
    map_by_value: |xs, by| xs.iter().map(|x| (*x, text(x))).collect::<HashMap<_, _>>().into_par().splitting(by).collect::<BTreeMap<_, _>>()
        => xs.iter().map(|x| (*x, text(x))).collect::<BTreeMap<_, _>>();
    heap: |xs, by| xs.iter().copied().collect::<BinaryHeap<_>>().into_par().splitting(by).collect::<BTreeSet<_>>()
        => xs.iter().copied().collect::<BTreeSet<_>>();
    rope: |xs, by| rope(xs).par().splitting(by).copied().collect::<Vec<_>>() => xs.to_vec();
    rope_by_value: |xs, by| owned(xs).into_par().collect_rope(3).into_par().splitting(by).collect::<Vec<_>>() => owned(xs);
    ropes_side_by_side: |xs, by| { let built: Rope<i64> = xs.par().copied().collect_rope(2);
        rope(xs).par().splitting(by).zip(&built).map(|(a, b)| (*a, *b)).collect::<Vec<_>>() }
        => xs.iter().map(|x| (*x, *x)).collect::<Vec<_>>();
    rope_from_behind: |xs, by| rope(xs).par().splitting(by).rev().step_by(2).copied().collect::<Vec<_>>()
        => xs.iter().rev().step_by(2).copied().collect::<Vec<_>>();

    // Collections that operations fill.
    rope_of_filtered_items: |xs, by| owned(xs).into_par().splitting(by).filter(|s| s.len() < 3).collect_rope(2).into_iter().collect::<Vec<_>>()
        => owned(xs).into_iter().filter(|s| s.len() < 3).collect::<Vec<_>>();
    collect_rope: |xs, by| owned(xs).into_par().splitting(by).collect_rope(3).into_iter().collect::<Vec<_>>() => owned(xs);
    collect_box: |xs, by| owned(xs).into_par().splitting(by).collect::<Box<[_]>>() => owned(xs).into_boxed_slice();
    collect_deque: |xs, by| owned(xs).into_par().splitting(by).collect::<VecDeque<_>>() => VecDeque::from(owned(xs));
    collect_string: |xs, by| owned(xs).into_par().splitting(by).collect::<String>() => owned(xs).concat();
    collect_set: |xs, by| owned(xs).into_par().splitting(by).collect::<HashSet<_>>() => owned(xs).into_iter().collect::<HashSet<_>>();
    collect_tree: |xs, by| owned(xs).into_par().splitting(by).collect::<BTreeSet<_>>() => owned(xs).into_iter().collect::<BTreeSet<_>>();
    collect_map: |xs, by| xs.par().splitting(by).enumerate().map(|(i, x)| (x % 4, i)).collect::<HashMap<_, _>>()
        => xs.iter().enumerate().map(|(i, x)| (x % 4, i)).collect::<HashMap<_, _>>();
    collect_result: |xs, by| xs.par().splitting(by).map(tried).collect::<Result<Vec<_>, _>>()
        => xs.iter().map(tried).collect::<Result<Vec<_>, _>>();
    collect_option: |xs, by| xs.par().splitting(by).map(|x| tried(x).ok().map(|x| text(&x))).collect::<Option<VecDeque<_>>>()
        => xs.iter().map(|x| tried(x).ok().map(|x| text(&x))).collect::<Option<VecDeque<_>>>();
    collect_nothing: |xs, by| xs.par().splitting(by).map(|x| tried(x).map(drop)).collect::<Result<(), _>>()
        => xs.iter().try_for_each(|x| tried(x).map(drop));
    par_extend: |xs, by| { let mut all = owned(&[7]); all.par_extend(owned(xs).into_par().splitting(by)); all }
        => { let mut all = owned(&[7]); all.extend(owned(xs)); all };
    par_extend_by_filtered_items: |xs, by| { let mut all = owned(&[7]);
        all.par_extend(owned(xs).into_par().splitting(by).filter(|s| s.len() > 1)); all }
        => { let mut all = owned(&[7]); all.extend(owned(xs).into_iter().filter(|s| s.len() > 1)); all };
    write_to: |xs, by| { let mut all = vec![String::from("old"); xs.len()]; owned(xs).into_par().splitting(by).write_to(&mut all); all }
        => owned(xs);
    partition: |xs, by| owned(xs).into_par().splitting(by).partition::<Vec<_>, _>(|s| s.len() > 1)
        => owned(xs).into_iter().partition::<Vec<_>, _>(|s| s.len() > 1);
    unzip: |xs, by| xs.par().splitting(by).map(|x| (*x, text(x))).unzip::<_, _, VecDeque<_>, Vec<_>>()
        => xs.iter().map(|x| (*x, text(x))).unzip::<_, _, VecDeque<_>, Vec<_>>();
    group_by: |xs, by| owned(xs).into_par().splitting(by).group_by(String::len)
        => { let mut groups: HashMap<usize, Vec<String>> = HashMap::new();
        owned(xs).into_iter().for_each(|s| groups.entry(s.len()).or_default().push(s)); groups };
    histogram: |xs, by| xs.par().splitting(by).histogram(4, |x| x.rem_euclid(4) as usize)
        => { let mut counts = vec![0; 4]; xs.iter().for_each(|x| counts[x.rem_euclid(4) as usize] += 1); counts };
    histogram_of_many: |xs, by| xs.par().splitting(by).histogram(100, |x| x.rem_euclid(100) as usize)
        => { let mut counts = vec![0; 100]; xs.iter().for_each(|x| counts[x.rem_euclid(100) as usize] += 1); counts };

    // Folds.
    count: |xs, by| xs.par().splitting(by).filter(|x| **x > 0).count() => xs.iter().filter(|x| **x > 0).count();
    sum: |xs, by| xs.par().splitting(by).sum::<i64>() => xs.iter().sum::<i64>();
    sum_unsigned: |xs, by| xs.par().splitting(by).map(|x| x.unsigned_abs()).sum::<u64>() => xs.iter().map(|x| x.unsigned_abs()).sum::<u64>();
    product: |xs, by| xs.par().splitting(by).map(|x| if x % 8 == 6 { -2 } else { 1 }).product::<i128>()
        => xs.iter().map(|x| if x % 8 == 6 { -2 } else { 1 }).product::<i128>();
    reduce: |xs, by| owned(xs).into_par().splitting(by).reduce(String::new, |a, b| a + &b) => owned(xs).concat();
    reduce_with: |xs, by| owned(xs).into_par().splitting(by).reduce_with(|a, b| a + "," + &b)
        => owned(xs).into_iter().reduce(|a, b| a + "," + &b);
    reduce_light: |xs, by| xs.par().splitting(by).map(|x| x.rem_euclid(7)).reduce(|| 0, i64::max)
        => xs.iter().map(|x| x.rem_euclid(7)).fold(0, i64::max);
    fold: |xs, by| xs.par().splitting(by).fold_reduce(String::new, |s, x| s + &text(x), |a, b| a + &b) => owned(xs).concat();
    fold_nested: |xs, by| xs.par().splitting(by).flat_map(|x| 0..x.rem_euclid(3)).fold_reduce(String::new, |s, x| s + &text(&x), |a, b| a + &b)
        => xs.iter().flat_map(|x| 0..x.rem_euclid(3)).map(|x| text(&x)).collect::<String>();
    accumulate: |xs, by| owned(xs).into_par().splitting(by).accumulate(Vec::new, |all, s| all.push(s), |all, mut more| all.append(&mut more))
        => owned(xs);
    try_reduce: |xs, by| xs.par().splitting(by).map(|x| tried(x).map(|x| text(&x))).try_reduce(String::new, |a, b| Ok(a + &b))
        => xs.iter().map(|x| tried(x).map(|x| text(&x))).try_fold(String::new(), |a, b| b.map(|b| a + &b));
    try_fold: |xs, by| xs.par().splitting(by).try_fold_reduce(String::new, |s, x| tried(x).map(|x| s + &text(&x)), |a, b| Ok(a + &b))
        => xs.iter().try_fold(String::new(), |s, x| tried(x).map(|x| s + &text(&x)));
    try_for_each: |xs, by| xs.par().splitting(by).enumerate().try_for_each(|(i, x)| match tried(x) {
            Ok(_) => ControlFlow::Continue(()), Err(_) => ControlFlow::Break(i) })
        => xs.iter().enumerate().try_for_each(|(i, x)| match tried(x) {
            Ok(_) => ControlFlow::Continue(()), Err(_) => ControlFlow::Break(i) });
    scan: |xs, by| owned(xs).into_par().splitting(by).inclusive_scan(|a, b| format!("{a}{b}"))
        => owned(xs).into_iter().scan(String::new(), |all, s| { all.push_str(&s); Some(all.clone()) }).collect::<Vec<_>>();
    exclusive_scan: |xs, by| owned(xs).into_par().splitting(by).exclusive_scan(String::from("-"), |a, b| format!("{a}{b}"))
        => { let mut all = String::from("-");
        let before = owned(xs).into_iter().map(|s| { let more = format!("{all}{s}"); std::mem::replace(&mut all, more) }).collect::<Vec<_>>();
        (before, all) };
    long_product: |xs, by| xs.par().splitting(by).map(|x| if x % 8 == 1 { -1 } else { 1 }).product::<i64>()
        => xs.iter().map(|x| if x % 8 == 1 { -1 } else { 1 }).product::<i64>();
    // The operator does not commute: it returns the right operand, unless the right operand is 0.
    long_reduce_with: |xs, by| xs.par().splitting(by).map(|x| x % 19).reduce_with(|a, b| if b == 0 { a } else { b })
        => xs.iter().map(|x| x % 19).reduce(|a, b| if b == 0 { a } else { b });
    long_fold: |xs, by| xs.par().splitting(by).enumerate().fold_reduce(|| None, |run, (i, _)| Some(neighbours(run, (i, i + 1))),
            |a, b| b.map_or(a, |b| Some(neighbours(a, b))))
        => (!xs.is_empty()).then_some((0, xs.len()));
    long_scan: |xs, by| xs.par().splitting(by).map(|x| x % 19).inclusive_scan(|a, b| if *b == 0 { *a } else { *b })
        => xs.iter().scan(0, |last, x| { if x % 19 != 0 { *last = x % 19; } Some(*last) }).collect::<Vec<_>>();

    // The least and the greatest item. The positions distinguish equal items.
    min: |xs, by| owned(xs).into_par().splitting(by).min() => owned(xs).into_iter().min();
    max: |xs, by| owned(xs).into_par().splitting(by).max() => owned(xs).into_iter().max();
    min_by: |xs, by| xs.par().splitting(by).enumerate().min_by(|a, b| (a.1 & 1).cmp(&(b.1 & 1)))
        => xs.iter().enumerate().min_by(|a, b| (a.1 & 1).cmp(&(b.1 & 1)));
    max_by: |xs, by| xs.par().splitting(by).enumerate().max_by(|a, b| (a.1 & 1).cmp(&(b.1 & 1)))
        => xs.iter().enumerate().max_by(|a, b| (a.1 & 1).cmp(&(b.1 & 1)));
    min_by_key: |xs, by| xs.par().splitting(by).enumerate().min_by_key(|(_, x)| **x & 1)
        => xs.iter().enumerate().min_by_key(|(_, x)| **x & 1);
    max_by_key: |xs, by| xs.par().splitting(by).enumerate().max_by_key(|(_, x)| **x & 1)
        => xs.iter().enumerate().max_by_key(|(_, x)| **x & 1);

    // Searches.
    any: |xs, by| xs.par().splitting(by).any(|x| x % 5 == 2) => xs.iter().any(|x| x % 5 == 2);
    all: |xs, by| xs.par().splitting(by).all(|x| x % 5 != 2) => xs.iter().all(|x| x % 5 != 2);
    find_last_behind_the_end: |xs, by| xs.par().splitting(by).map(|x| (x % 3 != 0).then_some(*x)).while_some().find_last(|x| x % 2 == 0)
        => xs.iter().map_while(|x| (x % 3 != 0).then_some(*x)).filter(|x| x % 2 == 0).last();
    any_behind_the_end: |xs, by| xs.par().splitting(by).map(|x| (x % 3 != 0).then_some(*x)).while_some().any(|x| x % 2 == 0)
        => xs.iter().map_while(|x| (x % 3 != 0).then_some(*x)).any(|x| x % 2 == 0);
    find_first: |xs, by| xs.par().splitting(by).enumerate().find_first(|(_, x)| **x % 3 == 1)
        => xs.iter().enumerate().find(|(_, x)| **x % 3 == 1);
    find_last: |xs, by| xs.par().splitting(by).enumerate().find_last(|(_, x)| **x % 3 == 1)
        => xs.iter().enumerate().rfind(|(_, x)| **x % 3 == 1);
    find_any: |xs, by| { let found = xs.par().splitting(by).find_any(|x| **x % 3 == 1); assert!(found.is_none_or(|x| x % 3 == 1)); found.is_some() }
        => xs.iter().any(|x| x % 3 == 1);
    find_map_first: |xs, by| xs.par().splitting(by).enumerate().find_map_first(|(i, x)| (x % 3 == 1).then(|| format!("{i} {x}")))
        => xs.iter().enumerate().find_map(|(i, x)| (x % 3 == 1).then(|| format!("{i} {x}")));
    find_map_any: |xs, by| { let found = xs.par().splitting(by).find_map_any(|x| (x % 3 == 1).then(|| text(x)));
        assert!(found.as_ref().is_none_or(|s| xs.iter().any(|x| x % 3 == 1 && text(x) == *s))); found.is_some() }
        => xs.iter().any(|x| x % 3 == 1);
    position_first: |xs, by| xs.par().splitting(by).position_first(|x| x % 3 == 1) => xs.iter().position(|x| x % 3 == 1);
    position_any: |xs, by| { let at = xs.par().splitting(by).position_any(|x| x % 3 == 1); assert!(at.is_none_or(|at| xs[at] % 3 == 1)); at.is_some() }
        => xs.iter().any(|x| x % 3 == 1);
    eq: |xs, by| { let other: Vec<i64> = xs.iter().map(|x| x.abs()).collect(); xs.par().splitting(by).eq(&other) }
        => xs.iter().all(|x| *x >= 0);
    cmp: |xs, by| { let mut other = xs.to_vec(); other.reverse(); xs.par().splitting(by).cmp(&other) }
        => xs.iter().cmp(xs.iter().rev());
    partial_cmp: |xs, by| { let all: Vec<f64> = xs.iter().map(|x| (*x as f64).sqrt()).collect();
        let mut back = all.clone(); back.reverse(); all.par().splitting(by).partial_cmp(&back) }
        => { let all = xs.iter().map(|x| (*x as f64).sqrt()); all.clone().partial_cmp(all.rev()) };
}

/// Tests operations with long leaves, on enough items for several leaves.
macro_rules! long {
    ($($name:ident),*) => {
        fn long() -> Vec<(&'static str, Operation)> {
            let is_long = |(name, _): &&(&str, _)| [$(stringify!($name)),*].contains(name);
            OPERATIONS.iter().filter(is_long).copied().collect()
        }
    };
}
long!(
    sum,
    sum_unsigned,
    reduce_light,
    count,
    long_product,
    long_reduce_with,
    long_fold,
    long_scan,
    histogram_of_many
);

/// Returns `n` items, some of which are equal or negative.
fn some(n: usize) -> Vec<i64> {
    [3, -1, 14, 9, -5, 13, 3, 24]
        .into_iter()
        .cycle()
        .take(n)
        .collect()
}

#[test]
fn at_every_place() {
    pool(1).install(|| {
        for n in 0..=FEW {
            let xs = some(n);
            for (name, operation) in operations() {
                under_every_schedule(name, n, &mut |by| operation(&xs, by));
            }
        }
    });
}

#[test]
fn on_several_workers() {
    let lens: &[usize] = if cfg!(miri) { &[5] } else { &[17, 100, 255] };
    // The tests of every schedule use a single worker, so the pools of one worker are left out.
    for threads in &POOLS[POOLS.len() / 3..] {
        pool(*threads).install(|| {
            for n in lens {
                let xs = some(*n);
                for (_, operation) in operations() {
                    for way in 0..WAYS {
                        operation(&xs, forced(way));
                    }
                }
            }
        });
    }
}

#[test]
fn of_several_leaves() {
    let lens: &[usize] = if cfg!(miri) {
        &[70]
    } else {
        &[4095, 4096, 4097, 3 * 4096 + 5]
    };
    for threads in [1, 2] {
        pool(threads).install(|| {
            for n in lens {
                let xs = some(*n);
                for (_, operation) in long() {
                    for way in 0..WAYS {
                        operation(&xs, forced(way));
                    }
                }
            }
        });
    }
}

#[test]
#[should_panic(expected = "heist: lengths differ")]
fn write_to_requires_as_many_places_as_items() {
    [1, 2, 3].par().copied().write_to(&mut [0; 4]);
}

#[test]
fn buckets_out_of_range_are_named() {
    let _quiet = super::panics::Quiet::new();
    for buckets in [0, 1, 3, 1000, 5000] {
        for way in 0..WAYS {
            let panic = std::panic::catch_unwind(|| {
                let numbers = (0..2000_usize).par().splitting(forced(way));
                numbers.histogram(
                    buckets,
                    |i| if i < 1990 { i % buckets.max(1) } else { 12_345 },
                )
            });
            let panic = panic.unwrap_err();
            let text = panic.downcast_ref::<String>().unwrap();
            let bucket = if buckets == 0 { 0 } else { 12_345 };
            assert_eq!(text, &format!("heist: bucket {bucket} of {buckets}"));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: if cfg!(miri) { 1 } else { ProptestConfig::default().cases / 2 },
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn by_chance(
        xs in prop::collection::vec(-50..50_i64, 0..70),
        decisions in prop::collection::vec(any::<u16>(), 0..60),
    ) {
        pool(1).install(|| {
            for (name, operation) in operations() {
                let choices = Choices::of(&decisions);
                by_choices(name, &choices, |by| operation(&xs, by));
            }
        });
    }

    #[test]
    fn of_several_leaves_by_chance(
        n in 0..if cfg!(miri) { 50 } else { 13_000_usize },
        decisions in prop::collection::vec(any::<u16>(), 0..20),
    ) {
        let xs = some(n);
        pool(1).install(|| {
            for (name, operation) in long() {
                let choices = Choices::of(&decisions);
                by_choices(name, &choices, |by| operation(&xs, by));
            }
        });
    }
}

#[test]
fn a_count_beyond_the_greatest_usize_panics() {
    assert_eq!((1..=u64::MAX).par().count(), usize::MAX);
    let all = std::panic::catch_unwind(|| (0..=u64::MAX).par().count());
    let payload = all.unwrap_err();
    let text = payload.downcast_ref::<&str>().copied();
    let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    assert_eq!(
        text,
        Some("heist: more than usize::MAX items were to be counted")
    );
}
