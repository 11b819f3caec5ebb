//! Checks that each item is dropped exactly once, no matter which call or destructor panics.

use super::pool;
use super::ways::{WAYS, forced, under_every_schedule};
use crate::par::prelude::*;
use crate::par::splitting::forced::Forced;
use crate::par::{once, repeat_n, split};
use either::Either::{Left, Right};
use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, HashSet, LinkedList, VecDeque};
use std::hash::{Hash, Hasher};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::rc::Rc;
use std::sync::{Arc, Mutex};

/// The place of a planted panic: the number of a call of a user's function, or the number of a destructor.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Bomb {
    Call(usize),
    Destructor(usize),
}

/// A record of the live values and of the place of the planted panic.
struct Ledger(Mutex<Book>);

struct Book {
    alive: Vec<bool>,
    bomb: Bomb,
    exploded: bool,
}

/// A counted value whose methods may panic.
struct Item<'l> {
    ledger: &'l Ledger,
    id: usize,
    value: usize,
}

impl Ledger {
    fn new(bomb: Bomb) -> Self {
        Ledger(Mutex::new(Book {
            alive: Vec::new(),
            bomb,
            exploded: false,
        }))
    }

    fn item(&self, value: usize) -> Item<'_> {
        let alive = &mut self.0.lock().unwrap().alive;
        alive.push(true);
        Item {
            ledger: self,
            id: alive.len() - 1,
            value,
        }
    }

    /// Returns a few items. Some of the items are equal.
    fn items(&self, n: usize) -> Vec<Item<'_>> {
        (0..n).map(|i| self.item(i * 7 % 5)).collect()
    }

    /// Counts a call of a user's function. Panics if the bomb is at this call.
    fn call(&self) {
        self.count(|bomb| match bomb {
            Bomb::Call(left) => Some(left),
            Bomb::Destructor(_) => None,
        });
    }

    fn count(&self, left: fn(&mut Bomb) -> Option<&mut usize>) {
        let mut book = self.0.lock().unwrap();
        let Some(left) = left(&mut book.bomb) else {
            return;
        };
        if *left > 0 {
            *left -= 1;
        } else if !std::mem::replace(&mut book.exploded, true) {
            drop(book);
            // The panic has no message, because messages take long.
            resume_unwind(Box::new("planted"));
        }
    }
}

impl Drop for Item<'_> {
    fn drop(&mut self) {
        let was_alive = std::mem::replace(&mut self.ledger.0.lock().unwrap().alive[self.id], false);
        // If a value is dropped twice, the process prints a message and ends. A destructor that panics during unwinding would also
        // end the process, and the test could not tell the two apart.
        if !was_alive {
            eprintln!("{} dropped twice", self.value);
            std::process::abort();
        }
        if !std::thread::panicking() {
            self.ledger.count(|bomb| match bomb {
                Bomb::Destructor(left) => Some(left),
                Bomb::Call(_) => None,
            });
        }
    }
}

impl Clone for Item<'_> {
    fn clone(&self) -> Self {
        self.ledger.call();
        self.ledger.item(self.value)
    }
}

impl PartialEq for Item<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Item<'_> {}

impl PartialOrd for Item<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Item<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.ledger.call();
        self.value.cmp(&other.value)
    }
}

impl Hash for Item<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.ledger.call();
        self.value.hash(state);
    }
}

impl<'l> Item<'l> {
    /// Reads the value. This read counts as a call of a user's function, so it may panic.
    fn see(&self) -> usize {
        self.ledger.call();
        self.value
    }

    /// Turns the value into a new value. The old value is dropped before the result exists, because compilers leak a function's
    /// result if the last drop in the function panics.
    fn next(self) -> Item<'l> {
        let (ledger, value) = (self.ledger, self.see());
        drop(self);
        ledger.item(value + 1)
    }

    /// Turns two values into one new value. Both values are dropped before the result exists.
    fn and(self, other: Item<'l>) -> Item<'l> {
        let (ledger, value) = (self.ledger, self.see() + other.value);
        drop((self, other));
        ledger.item(value)
    }

    /// Returns a new value made from two values.
    fn with(&self, other: &Item<'l>) -> Item<'l> {
        self.ledger.call();
        self.ledger.item(self.value + other.value)
    }
}

/// An operation on some items.
type Act = fn(&Ledger, usize, Forced<'_>);

macro_rules! acts {
    ($($name:ident: |$ledger:ident, $n:ident, $by:ident| $act:expr;)*) => {
        const ACTS: &[(&str, Act)] = &[$(
            (stringify!($name), |$ledger: &Ledger, $n: usize, $by: Forced<'_>| _ = $act),
        )*];
    };
}

acts! {
    for_each: |l, n, by| l.items(n).into_par().splitting(by).for_each(|x| _ = x.see());
    for_each_init: |l, n, by| l.items(n).into_par().splitting(by).for_each_init(|| l.item(9).next(), |w, x| *w = x.next());
    map: |l, n, by| l.items(n).into_par().splitting(by).map(Item::next).collect::<Vec<_>>();
    map_and_inspect: |l, n, by| l.items(n).into_par().splitting(by).map(Item::next).inspect(|x| _ = x.see()).count();
    cloned: |l, n, by| { let all = l.items(n); let new: Vec<Item> = all.par().splitting(by).cloned().collect(); (all, new) };
    filter: |l, n, by| l.items(n).into_par().splitting(by).filter(|x| x.see() > 1).collect::<Vec<_>>();
    filter_map: |l, n, by| l.items(n).into_par().splitting(by).filter_map(|x| (x.see() > 1).then_some(x)).collect::<Vec<_>>();
    flat_map: |l, n, by| l.items(n).into_par().splitting(by).flat_map(|x| vec![x.next(), l.item(5)]).collect::<Vec<_>>();
    flat_map_in_parts: |l, n, by| l.items(n).into_par().flat_map(|x| [x.next(), l.item(5)].into_par().splitting(by).map(Item::next))
        .collect::<Vec<_>>();
    flat_map_iter: |l, n, by| l.items(n).into_par().splitting(by).flat_map_iter(|x| [x.next(), l.item(5)]).collect::<Vec<_>>();
    flat_map_options: |l, n, by| l.items(n).into_par().splitting(by).flat_map(|x| (x.see() > 1).then_some(x)).collect::<Vec<_>>();
    flatten: |l, n, by| l.items(n).into_par().splitting(by).map(|x| vec![x.next(), l.item(5)]).flatten().collect::<Vec<_>>();
    flatten_iter: |l, n, by| l.items(n).into_par().splitting(by).map(|x| [x.next(), l.item(5)]).flatten_iter().collect::<Vec<_>>();
    update: |l, n, by| l.items(n).into_par().splitting(by).update(|x| *x = l.item(x.see())).collect::<Vec<_>>();
    while_some: |l, n, by| l.items(n).into_par().splitting(by).map(|x| (x.see() != 4).then_some(x)).while_some().collect::<Vec<_>>();
    while_some_within: |l, n, by| l.items(n / 2).into_par().flat_map(|x| [Some(x.next()), None, Some(l.item(5))].into_par().splitting(by).while_some())
        .collect::<Vec<_>>();
    map_init: |l, n, by| l.items(n).into_par().splitting(by).map_init(|| l.item(9).next(), |w, x| { *w = x.next(); w.clone() }).collect::<Vec<_>>();
    map_with: |l, n, by| l.items(n).into_par().splitting(by).map_with(l.item(9), |w, x| { *w = x; w.clone() }).collect::<Vec<_>>();
    map_init_and_reduce: |l, n, by| l.items(n).into_par().splitting(by).map_init(|| l.item(9), |w, x| { *w = x; w.clone() })
        .reduce(|| l.item(0), |a, b| a.and(b));
    map_by_a_closure_that_holds_an_item: |l, n, by| { let held = l.item(9);
        l.items(n).into_par().splitting(by).map(move |x| { held.see(); x.next() }).collect::<Vec<_>>() };
    unzip_by_a_closure_that_holds_an_item: |l, n, by| { let held = l.item(9);
        l.items(n).into_par().splitting(by).map(move |x| (held.clone(), x)).unzip::<_, _, Vec<_>, Vec<_>>() };
    filter_by_a_closure_that_holds_an_item: |l, n, by| { let held = l.item(9);
        l.items(n).into_par().splitting(by).filter(move |x| x.see() + 6 < held.see()).collect_rope(2) };
    flat_map_by_a_closure_that_holds_an_item: |l, n, by| { let held = l.item(9);
        l.items(n).into_par().splitting(by).flat_map(move |x| vec![x, held.clone()]).reduce(|| l.item(0), |a, b| a.and(b)) };
    try_for_each_init: |l, n, by| l.items(n).into_par().splitting(by)
        .try_for_each_init(|| l.item(9), |w, x| { *w = x; if w.see() == 4 { Err(l.item(4)) } else { Ok(()) } });
    enumerate_and_take: |l, n, by| l.items(n + 2).into_par().splitting(by).enumerate().take(n).map(|(_, x)| x.next()).collect::<Vec<_>>();
    skip: |l, n, by| l.items(n + 2).into_par().splitting(by).skip(2).map(Item::next).collect::<Vec<_>>();
    rev: |l, n, by| l.items(n).into_par().splitting(by).rev().map(Item::next).collect::<Vec<_>>();
    step_by: |l, n, by| l.items(2 * n).into_par().splitting(by).step_by(2).map(Item::next).collect::<Vec<_>>();
    chain: |l, n, by| l.items(n).into_par().splitting(by).chain(l.items(1)).map(Item::next).collect::<Vec<_>>();
    zip: |l, n, by| l.items(n).into_par().splitting(by).map(Item::next).zip(l.items(n + 1).into_par().map(Item::next)).collect::<Vec<_>>();
    zip_with_longer: |l, n, by| l.items(n + 2).into_par().splitting(by).zip(l.items(n)).for_each(|(a, b)| drop(a.and(b)));
    zip_eq: |l, n, by| l.items(n).into_par().splitting(by).zip_eq(l.items(n)).for_each(|(a, b)| drop(a.and(b)));
    interleave: |l, n, by| l.items(n / 2).into_par().splitting(by).interleave(l.items(n - n / 2)).map(Item::next).collect::<Vec<_>>();
    interleave_shortest: |l, n, by| l.items(n).into_par().splitting(by).interleave_shortest(l.items(n / 2)).map(Item::next).collect::<Vec<_>>();
    interleave_shortest_with_longer: |l, n, by| l.items(n / 2).into_par().splitting(by).interleave_shortest(l.items(n + 2)).rev().collect::<Vec<_>>();
    intersperse: |l, n, by| l.items(n / 2 + 1).into_par().splitting(by).intersperse(l.item(9)).map(Item::next).collect::<Vec<_>>();
    chunks: |l, n, by| l.items(2 * n - 1).into_par().splitting(by).map(Item::next).chunks(2).collect::<Vec<_>>();
    chunks_in_steps: |l, n, by| l.items(2 * n).into_par().splitting(by).chunks(2).step_by(2).collect::<Vec<_>>();
    fold_chunks: |l, n, by| l.items(2 * n - 1).into_par().splitting(by).fold_chunks(2, || l.item(0).next(), |a, b| a.and(b)).collect::<Vec<_>>();
    fold_chunks_with: |l, n, by| l.items(2 * n).into_par().splitting(by).fold_chunks_with(2, l.item(0), |a, b| a.and(b)).collect::<Vec<_>>();
    positions: |l, n, by| l.items(n).into_par().splitting(by).positions(|x| x.see() > 1).collect::<Vec<_>>();

    of_an_array: |l, n, by| { let mut all = l.items(3); all.truncate(n); all.resize_with(3, || l.item(8));
        let all: [Item; 3] = all.try_into().ok().unwrap(); all.into_par().splitting(by).map(Item::next).collect::<Vec<_>>() };
    of_a_deque: |l, n, by| { let mut all = VecDeque::from(l.items(n)); all.rotate_left(n / 2);
        all.into_par().splitting(by).map(Item::next).collect::<Vec<_>>() };
    of_a_box: |l, n, by| l.items(n).into_boxed_slice().into_par().splitting(by).map(Item::next).collect::<Vec<_>>();
    of_a_rope: |l, n, by| l.items(n).into_par().collect_rope(2).into_par().splitting(by).map(Item::next).collect::<Vec<_>>();
    of_a_tuple: |l, n, by| (l.items(n), l.items(n + 1), 0..n).into_par().splitting(by).map(|(a, b, _)| a.and(b)).collect::<Vec<_>>();
    of_a_map: |l, n, by| { let all: HashMap<usize, Item> = l.items(n).into_iter().enumerate().collect();
        all.into_par().splitting(by).map(|(_, x)| x.next()).collect::<Vec<_>>() };
    of_a_tree: |l, n, by| { let all: BTreeMap<usize, Item> = l.items(n).into_iter().enumerate().collect();
        all.into_par().splitting(by).map(|(_, x)| x.next()).collect::<Vec<_>>() };
    of_a_heap: |l, n, by| BinaryHeap::from(l.items(n)).into_par().splitting(by).map(Item::next).collect::<Vec<_>>();
    of_a_list: |l, n, by| l.items(n).into_iter().collect::<LinkedList<_>>().into_par().splitting(by).map(Item::next).collect::<Vec<_>>();
    of_one_and_more: |l, n, by| once(l.item(9)).splitting(by).chain(l.items(n - 1)).map(Item::next).collect::<Vec<_>>();
    of_clones: |l, n, by| repeat_n(l.item(9), n).splitting(by).map(Item::next).collect::<Vec<_>>();
    of_pieces_of_a_split: |l, n, by| split(l.items(n), |mut all| { l.call(); let right = all.split_off(all.len().div_ceil(2));
        (all, (!right.is_empty()).then_some(right)) }).splitting(by).flat_map_iter(|all| all).map(Item::next).collect::<Vec<_>>();
    of_an_iterator: |l, n, by| l.items(n).into_iter().map(Item::next).par_bridge().splitting(by).map(Item::next).collect::<Vec<_>>();
    of_a_drain: |l, n, by| { let mut all = l.items(n + 3);
        let taken: Vec<_> = all.par_drain(1..=n).splitting(by).map(Item::next).collect(); (taken, all) };
    of_a_drain_up_to_a_match: |l, n, by| { let mut all = l.items(n + 3);
        let found = all.par_drain(2..n + 2).splitting(by).find_first(|x| x.see() == 4); (found, all) };
    of_a_drain_that_is_not_run: |l, n, by| { let mut all = l.items(n + 3); drop(all.par_drain(2..n + 2).splitting(by)); all };
    of_a_drain_in_part: |l, n, by| { let mut all = l.items(n + 1); let taken: Vec<_> = all.par_drain(..n).splitting(by).skip(1).rev().collect(); (taken, all) };
    of_a_drain_of_a_deque: |l, n, by| { let mut all = VecDeque::from(l.items(n + 3)); all.rotate_left(2);
        let taken: Vec<_> = all.par_drain(1..=n).splitting(by).map(Item::next).collect(); (taken, all) };
    of_a_drain_of_a_heap: |l, n, by| { let mut all = BinaryHeap::from(l.items(n)); let taken: Vec<_> = all.par_drain().splitting(by).collect(); (taken, all) };
    of_a_shared_rope: |l, n, by| { let all = l.items(n).into_par().collect_rope(2); let other = all.clone();
        let new: Vec<_> = all.into_par().splitting(by).map(Item::next).collect(); (other, new) };
    of_a_rope_shared_in_part: |l, n, by| { let all = l.items(n).into_par().collect_rope(2); let part = all.slice(n / 2..);
        let found = all.into_par().splitting(by).find_first(|x| x.see() == 2); (part, found) };
    of_places: |l, n, by| { let mut all = l.items(n); all.par_mut().splitting(by).for_each(|x| *x = l.item(x.see())); all };
    of_chunks_from_behind: |l, n, by| { let mut all = l.items(n); all.par_rchunks_mut(1).splitting(by).for_each(|piece| piece[0] = l.item(piece[0].see())); all };
    of_pieces: |l, n, by| { let all = l.items(n - 1); let new: Vec<_> = all.par_split(|x| x.see() == 2).splitting(by).map(<[_]>::to_vec).collect(); (new, all) };
    of_pieces_to_be_changed: |l, n, by| { let mut all = l.items(n.div_ceil(2));
        all.par_chunk_by_mut(|a, b| a < b).splitting(by).for_each(|run| run[0] = l.item(run[0].see())); all };

    into_a_rope: |l, n, by| l.items(n).into_par().splitting(by).map(Item::next).collect_rope(2);
    into_a_rope_of_filtered_items: |l, n, by| l.items(n).into_par().splitting(by).filter(|x| x.see() > 1).collect_rope(2);
    into_a_box: |l, n, by| l.items(n).into_par().splitting(by).map(Item::next).collect::<Box<[_]>>();
    into_a_deque: |l, n, by| l.items(n).into_par().splitting(by).map(Item::next).collect::<VecDeque<_>>();
    into_an_ordered_set: |l, n, by| l.items(n).into_par().splitting(by).map(Item::next).collect::<BTreeSet<_>>();
    into_an_ordered_map: |l, n, by| l.items(n).into_par().splitting(by).map(|x| (x.see(), x)).collect::<BTreeMap<_, _>>();
    into_a_set: |l, n, by| l.items(n).into_par().splitting(by).map(Item::next).collect::<HashSet<_>>();
    into_a_map: |l, n, by| l.items(n).into_par().splitting(by).map(|x| (x.see(), x)).collect::<HashMap<_, _>>();
    into_a_list: |l, n, by| l.items(n).into_par().splitting(by).map(Item::next).collect::<LinkedList<_>>();
    into_a_heap: |l, n, by| l.items(n).into_par().splitting(by).map(Item::next).collect::<BinaryHeap<_>>();
    into_an_arc: |l, n, by| l.items(n).into_par().splitting(by).map(Item::next).collect::<Arc<[_]>>();
    into_an_rc: |l, n, by| l.items(n).into_par().splitting(by).filter(|x| x.see() > 1).collect::<Rc<[_]>>();
    into_a_cow: |l, n, by| l.items(n).into_par().splitting(by).map(Item::next).collect::<Cow<'_, [_]>>();
    into_a_pair: |l, n, by| l.items(n).into_par().splitting(by).map(|x| (l.item(3), x.next())).collect::<(VecDeque<_>, Box<[_]>)>();
    into_a_pair_that_has_some: |l, n, by| { let mut all = (l.items(1), VecDeque::from(l.items(1)));
        all.par_extend(l.items(n).into_par().splitting(by).map(|x| (l.item(3), x.next()))); all };
    into_a_deque_that_has_some: |l, n, by| { let mut all = VecDeque::from(l.items(2)); all.par_extend(l.items(n).into_par().splitting(by).map(Item::next)); all };
    into_a_heap_that_has_some: |l, n, by| { let mut all = BinaryHeap::from(l.items(2)); all.par_extend(l.items(n).into_par().splitting(by)); all };
    into_a_rope_that_has_some: |l, n, by| { let mut all = l.items(3).into_par().collect_rope(2); let other = all.clone();
        all.par_extend(l.items(n).into_par().splitting(by).map(Item::next)); (all, other) };
    into_an_old_vector: |l, n, by| { let mut all = l.items(2); l.items(n).into_par().splitting(by).map(Item::next).collect_into_vec(&mut all); all };
    into_old_vectors: |l, n, by| { let (mut left, mut right) = (l.items(1), l.items(2));
        l.items(n).into_par().splitting(by).map(|x| (l.item(3), x.next())).unzip_into_vecs(&mut left, &mut right); (left, right) };
    into_a_result_of_a_pair: |l, n, by| l.items(n).into_par().splitting(by).map(|x| if x.see() == 4 { Err(x) } else { Ok((l.item(3), x)) })
        .collect::<Result<(Vec<_>, VecDeque<_>), _>>();
    into_a_vector_that_has_some: |l, n, by| { let mut all = l.items(2); all.par_extend(l.items(n).into_par().splitting(by).map(Item::next)); all };
    into_a_vector_by_filtered_items: |l, n, by| { let mut all = l.items(2);
        all.par_extend(l.items(n).into_par().splitting(by).filter(|x| x.see() > 1)); all };
    into_a_string: |l, n, by| l.items(n).into_par().splitting(by).map(|x| x.see().to_string()).collect::<String>();
    into_a_result: |l, n, by| l.items(n).into_par().splitting(by).map(|x| if x.see() == 4 { Err(x) } else { Ok(x) }).collect::<Result<Vec<_>, _>>();
    into_an_option: |l, n, by| l.items(n).into_par().splitting(by).map(|x| (x.see() != 4).then_some(x)).collect::<Option<VecDeque<_>>>();
    write_to: |l, n, by| { let mut all = l.items(n); l.items(n).into_par().splitting(by).map(Item::next).write_to(&mut all); all };
    partition: |l, n, by| l.items(n).into_par().splitting(by).partition::<Vec<_>, _>(|x| x.see() > 1);
    partition_map: |l, n, by| l.items(n).into_par().splitting(by)
        .partition_map::<Vec<_>, VecDeque<_>, _, _, _>(|x| if x.see() > 1 { Left(x) } else { Right(x.next()) });
    unzip: |l, n, by| l.items(n).into_par().splitting(by).map(|x| (l.item(3), x.next())).unzip::<_, _, Vec<_>, VecDeque<_>>();
    group_by: |l, n, by| l.items(n).into_par().splitting(by).group_by(Item::see);
    group_by_items: |l, n, by| l.items(n).into_par().splitting(by).group_by(Item::clone);
    histogram: |l, n, by| l.items(n).into_par().splitting(by).histogram(5, |x| x.see());

    reduce: |l, n, by| l.items(n).into_par().splitting(by).reduce(|| l.item(0).next(), |a, b| a.and(b));
    reduce_with: |l, n, by| l.items(n).into_par().splitting(by).reduce_with(|a, b| a.and(b));
    fold: |l, n, by| l.items(n).into_par().splitting(by).fold_reduce(|| l.item(0).next(), |a, b| a.and(b), |a, b| a.and(b));
    fold_nested: |l, n, by| l.items(n).into_par().splitting(by).flat_map(|x| vec![x.next(), l.item(5)])
        .fold_reduce(|| l.item(0), |a, b| a.and(b), |a, b| a.and(b));
    accumulate: |l, n, by| l.items(n).into_par().splitting(by).accumulate(Vec::new, |all, x| { all.push(l.item(1)); all.push(x.next()); },
        |all, mut more| { l.call(); all.append(&mut more); });
    try_fold: |l, n, by| l.items(n).into_par().splitting(by).try_fold_reduce(|| l.item(0), |a, b| if b.value == 4 { drop(a); Err(b) } else { Ok(a.and(b)) },
        |a, b| Ok(a.and(b)));
    try_reduce: |l, n, by| l.items(n).into_par().splitting(by).map(|x| if x.see() == 4 { Err(x) } else { Ok(x) })
        .try_reduce(|| l.item(0), |a, b| Ok(a.and(b)));
    try_reduce_with: |l, n, by| l.items(n).into_par().splitting(by).map(|x| if x.see() == 4 { Err(x) } else { Ok(x) })
        .try_reduce_with(|a, b| if b.value == 3 { drop(a); Err(b) } else { Ok(a.and(b)) });
    try_for_each: |l, n, by| l.items(n).into_par().splitting(by).try_for_each(|x| if x.see() == 4 { Err(x) } else { Ok(()) });
    scan: |l, n, by| l.items(n).into_par().splitting(by).inclusive_scan(Item::with);
    scan_by_a_closure_that_holds_an_item: |l, n, by| { let held = l.item(9);
        l.items(n).into_par().splitting(by).map(move |x| { held.see(); x }).inclusive_scan(Item::with) };
    scan_rope_by_a_closure_that_holds_an_item: |l, n, by| { let held = l.item(9);
        l.items(n).into_par().splitting(by).map(move |x| { held.see(); x }).inclusive_scan_rope(2, Item::with) };
    chain_by_a_closure_that_holds_an_item: |l, n, by| { let (held, other) = (l.item(9), l.item(8));
        l.items(n).into_par().splitting(by).filter(move |x| x.see() < held.see())
            .chain(l.items(2).into_par().map(move |x| { other.see(); x })).collect::<Vec<_>>() };
    exclusive_scan: |l, n, by| l.items(n).into_par().splitting(by).exclusive_scan(l.item(3), Item::with);
    inclusive_scan_rope: |l, n, by| l.items(n).into_par().splitting(by).inclusive_scan_rope(2, Item::with);
    exclusive_scan_rope: |l, n, by| l.items(n).into_par().splitting(by).exclusive_scan_rope(2, l.item(3), Item::with);

    min: |l, n, by| l.items(n).into_par().splitting(by).min();
    max: |l, n, by| l.items(n).into_par().splitting(by).max();
    min_by_key: |l, n, by| l.items(n).into_par().splitting(by).min_by_key(Item::clone);
    max_by: |l, n, by| l.items(n).into_par().splitting(by).max_by(|a, b| b.cmp(a));
    min_by: |l, n, by| l.items(n).into_par().splitting(by).min_by(Ord::cmp);
    max_by_key: |l, n, by| l.items(n).into_par().splitting(by).max_by_key(Item::clone);
    find_first: |l, n, by| l.items(n).into_par().splitting(by).find_first(|x| x.see() == 4);
    find_last: |l, n, by| l.items(n).into_par().splitting(by).find_last(|x| x.see() == 2);
    find_any: |l, n, by| l.items(n).into_par().splitting(by).find_any(|x| x.see() == 4);
    find_map_first: |l, n, by| l.items(n).into_par().splitting(by).find_map_first(|x| (x.see() == 4).then_some(x));
    find_map_any: |l, n, by| l.items(n).into_par().splitting(by).find_map_any(|x| (x.see() == 4).then_some(x));
    find_map_last: |l, n, by| l.items(n).into_par().splitting(by).find_map_last(|x| (x.see() == 2).then_some(x));
    all: |l, n, by| l.items(n).into_par().splitting(by).all(|x| x.see() != 4);
    position_last: |l, n, by| l.items(n).into_par().splitting(by).position_last(|x| x.see() == 2);
    any: |l, n, by| l.items(n).into_par().splitting(by).any(|x| x.see() == 4);
    position_first: |l, n, by| l.items(n).into_par().splitting(by).position_first(|x| x.see() == 4);
    position_any: |l, n, by| l.items(n).into_par().splitting(by).position_any(|x| x.see() == 4);
    eq: |l, n, by| l.items(n).into_par().splitting(by).eq(l.items(n));
    cmp: |l, n, by| l.items(n).into_par().splitting(by).cmp(l.items(n + 1));
    partial_cmp: |l, n, by| l.items(n).into_par().splitting(by).partial_cmp(l.items(n));

    par_sort: |l, n, _by| { let mut all = l.items(n); all.par_sort(); all };
    par_sort_unstable: |l, n, _by| { let mut all = l.items(n); all.par_sort_unstable(); all };
    par_sort_by_key: |l, n, _by| { let mut all = l.items(n); all.par_sort_by_key(Item::clone); all };
    par_sort_by_cached_key: |l, n, _by| { let mut all = l.items(n); all.par_sort_by_cached_key(Item::clone); all };
    par_sort_unstable_by_key: |l, n, _by| { let mut all = l.items(n); all.par_sort_unstable_by_key(Item::clone); all };
    par_sorted: |l, n, _by| l.items(n).into_par().collect_rope(2).par_sorted();
    par_sorted_by_key: |l, n, _by| { let all = l.items(n).into_par().collect_rope(2); (all.clone(), all.par_sorted_by_key(Item::clone)) };
    par_sorted_by_cached_key: |l, n, _by| l.items(n).into_par().collect_rope(2).par_sorted_by_cached_key(Item::clone);
}

/// Operations on hash tables. If a destructor panics, the standard library's tables never drop the remaining items.
const HASHED: &[&str] = &[
    "of_a_map",
    "into_a_set",
    "into_a_map",
    "group_by",
    "group_by_items",
];
/// Operations that build trees. If a comparison or a destructor panics during the construction of a tree, the standard library never drops
/// the items that it has inserted.
const ORDERED: &[&str] = &["into_an_ordered_set", "into_an_ordered_map"];

/// Runs an operation with a planted panic. Returns true if the panic has happened.
fn survive(name: &str, bomb: Bomb, n: usize, by: Forced<'_>, act: Act) -> bool {
    let ledger = Ledger::new(bomb);
    let outcome = catch_unwind(AssertUnwindSafe(|| act(&ledger, n, by)));
    let book = ledger.0.into_inner().unwrap();
    assert_eq!(outcome.is_err(), book.exploded, "{name}: {bomb:?} of {n}");
    let leaks =
        ORDERED.contains(&name) || (HASHED.contains(&name) && matches!(bomb, Bomb::Destructor(_)));
    if !leaks {
        let alive = book.alive.iter().filter(|alive| **alive).count();
        assert_eq!(alive, 0, "{name}: {bomb:?} of {n}");
    }
    book.exploded
}

/// Calls `run` once for each place at which a panic can be planted.
fn at_each_bomb(mut run: impl FnMut(Bomb) -> bool) {
    for at in [Bomb::Call, Bomb::Destructor] {
        for k in 0.. {
            if !run(at(k)) {
                break;
            }
        }
    }
}

#[test]
fn under_every_schedule_of_few() {
    let few = if cfg!(miri) { 2 } else { 3 };
    pool(1).install(|| {
        for n in 1..=few {
            for (name, act) in ACTS {
                at_each_bomb(|bomb| {
                    let mut any = false;
                    under_every_schedule(name, n, &mut |by| {
                        any |= survive(name, bomb, n, by, *act)
                    });
                    any
                });
            }
        }
    });
}

#[test]
fn of_some_more() {
    for (threads, n) in [(1, 5), (2, if cfg!(miri) { 5 } else { 8 })] {
        pool(threads).install(|| {
            for (name, act) in ACTS {
                at_each_bomb(|bomb| {
                    // The test runs all ways. `any` would skip the ways after the first panic.
                    let ways = (0..WAYS).map(|way| survive(name, bomb, n, forced(way), *act));
                    ways.filter(|exploded| *exploded).count() > 0
                });
            }
        });
    }
}
