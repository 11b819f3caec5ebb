//! The standard library's collections as sources and as results of sequences.

use super::drops::{Census, LEN, stop_at, with_a_panic_at_each};
use super::{LENGTHS, items, same, under_all};
use crate::par::prelude::*;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, HashSet, LinkedList, VecDeque};
use std::rc::Rc;
use std::sync::Arc;

/// Compares `par_extend` of a collection with `extend`.
macro_rules! extends {
    ($name:ident, $before:expr, $collection:ty, |$xs:ident| $items:expr) => {
        same!(
            $name,
            |$xs, n| {
                let mut all: $collection = $before;
                all.par_extend($items);
                all
            },
            {
                let mut all: $collection = $before;
                all.extend($items);
                all
            }
        );
    };
}

extends!(vectors_are_extended, vec![1, 2, 3], Vec<i64>, |xs| xs
    .map(|x| x + 1));
extends!(
    vectors_are_extended_by_what_is_left,
    vec![1, 2, 3],
    Vec<i64>,
    |xs| xs.copied().filter(|x| x % 3 == 0)
);
extends!(strings_are_extended, String::from("heist"), String, |xs| xs
    .map(|x| x.to_string()));
extends!(
    strings_are_extended_by_characters,
    String::from("heist"),
    String,
    |xs| xs.map(|x| char::from(b'a' + x.rem_euclid(26) as u8))
);
extends!(
    maps_are_extended,
    HashMap::from([(5, 7), (-3, 8)]),
    HashMap<i64, i64>,
    |xs| xs.map(|x| (*x, x * x))
);
extends!(
    ordered_maps_are_extended,
    BTreeMap::from([(5, 7), (-3, 8)]),
    BTreeMap<i64, usize>,
    |xs| xs.copied().enumerate().map(|(i, x)| (x % 10, i))
);
extends!(
    sets_are_extended,
    HashSet::from([5, 101]),
    HashSet<i64>,
    |xs| xs.copied()
);
extends!(
    ordered_sets_are_extended,
    BTreeSet::from([5, 101]),
    BTreeSet<i64>,
    |xs| xs.copied()
);
extends!(
    deques_are_extended,
    VecDeque::from([1, 2].map(Box::new)),
    VecDeque<Box<i64>>,
    |xs| xs.map(|x| Box::new(*x))
);

#[test]
fn what_is_extended_keeps_what_it_has() {
    under_all!(|policy| with_a_panic_at_each(|census: &Census, at| {
        let mut all: Vec<_> = (0..LEN).map(|i| census.bear(i)).collect();
        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let more = (LEN..2 * LEN).par().splitting(policy).map(|i| {
                stop_at(at, i - LEN);
                census.bear(i)
            });
            all.par_extend(more);
        }));
        let len = if outcome.is_ok() { 2 * LEN } else { LEN };
        assert_eq!(all.len(), len);
        assert!(all.iter().enumerate().all(|(i, item)| item.value == i));
        outcome.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    }));
    let mut units = vec![(); 3];
    units.par_extend(vec![(); 5]);
    units.par_extend(vec![(); 5].into_par().filter(|()| true));
    assert_eq!(units.len(), 13);
}

/// Tests the sequences of a collection `$all`: by value, by reference, and by exclusive reference if the collection has this
/// sequence.
macro_rules! same_items {
    ($all:expr, $policy:ident) => {
        let all = $all;
        let ours: Vec<_> = all.par().splitting($policy).collect();
        assert_eq!(ours, all.iter().collect::<Vec<_>>());
        let theirs: Vec<_> = all.clone().into_iter().collect();
        let ours: Vec<_> = all.into_par().splitting($policy).collect();
        assert_eq!(ours, theirs);
    };
    ($all:expr, $policy:ident, |$value:pat_param| $changed:expr) => {
        same_items!($all.clone(), $policy);
        let (mut ours, mut theirs) = ($all.clone(), $all);
        ours.par_mut()
            .splitting($policy)
            .for_each(|$value| *$changed += 7);
        theirs.iter_mut().for_each(|$value| *$changed += 7);
        assert_eq!(ours, theirs);
    };
}

#[test]
fn large_pieces_are_put_together_in_order() {
    const MANY: usize = if cfg!(miri) { 40 } else { 20_000 };
    let must: Vec<usize> = (0..MANY).filter(|i| i % 7 > 0).collect();
    for piece in [MANY / 3, MANY / 8] {
        let kept = || {
            let all = (0..MANY).par().splitting(crate::par::Eager(piece));
            all.filter(|i| i % 7 > 0)
        };
        assert_eq!(kept().collect::<Vec<_>>(), must);
        let mut all = vec![7, 7];
        all.par_extend(kept());
        assert_eq!(all[..2], [7, 7]);
        assert_eq!(all[2..], must);
    }
}

#[test]
fn deques_in_two_pieces_are_sequences() {
    let mut deque: VecDeque<i64> = (0..60).collect();
    deque.rotate_left(20);
    deque.truncate(50);
    assert!(!deque.as_slices().1.is_empty());
    let mut changed: Vec<i64> = deque.iter().copied().collect();
    under_all!(|policy| {
        let ours: Vec<_> = deque.par().splitting(policy).copied().collect();
        assert_eq!(ours, changed);
        let places = deque.par_mut().splitting(policy).enumerate();
        places.for_each(|(i, x)| *x += i as i64);
        changed
            .iter_mut()
            .enumerate()
            .for_each(|(i, x)| *x += i as i64);
        assert!(deque.iter().eq(&changed) && !deque.as_slices().1.is_empty());
    });
}

#[test]
fn collections_are_sequences() {
    for &n in LENGTHS {
        let all = items(n);
        let pairs = || all.iter().map(|x| (*x, x * x));
        let deque: VecDeque<i64> = all.iter().copied().collect();
        let map: HashMap<i64, i64> = pairs().collect();
        let tree: BTreeMap<i64, i64> = pairs().collect();
        let (set, ordered): (HashSet<i64>, BTreeSet<i64>) = pairs().unzip();
        let heap: BinaryHeap<i64> = all.iter().copied().collect();
        under_all!(|policy| {
            same_items!(deque.clone(), policy, |x| x);
            same_items!(all.clone().into_boxed_slice(), policy, |x| x);
            same_items!(map.clone(), policy, |(_, x)| x);
            same_items!(tree.clone(), policy, |(_, x)| x);
            same_items!(set.clone(), policy);
            same_items!(ordered.clone(), policy);
            same_items!(heap.clone(), policy);
        });
    }
    assert_eq!([1, 2, 3].into_par().zip(&Box::from([4, 5, 6])).count(), 3);
}

extends!(
    lists_are_extended,
    LinkedList::from([1, 2].map(Box::new)),
    LinkedList<Box<i64>>,
    |xs| xs.map(|x| Box::new(*x))
);
extends!(
    strings_are_extended_by_boxed_strings,
    String::from("heist"),
    String,
    |xs| xs.map(|x| x.to_string().into_boxed_str())
);
extends!(
    strings_are_extended_by_borrowed_strings,
    String::from("heist"),
    String,
    |xs| xs.map(|x| if *x < 0 {
        Cow::Borrowed("less")
    } else {
        Cow::Owned(x.to_string())
    })
);
extends!(
    pairs_are_extended,
    (vec![0], BTreeSet::from([0])),
    (Vec<i64>, BTreeSet<i64>),
    |xs| xs.map(|x| (x + 1, x % 10))
);

#[test]
fn collections_are_extended_by_copies() {
    let all = items(200);
    let map: BTreeMap<i64, i64> = all.iter().map(|x| (*x, x * x)).collect();
    under_all!(|policy| {
        let xs = || all.par().splitting(policy);
        let mut vec = vec![5];
        vec.par_extend(xs());
        assert!(vec[0] == 5 && vec[1..] == all);
        let mut deque = VecDeque::from([5]);
        deque.par_extend(xs());
        assert_eq!(deque, vec);
        let mut list = LinkedList::from([5]);
        list.par_extend(xs());
        assert!(list.iter().eq(&vec));
        let mut heap = BinaryHeap::from([5]);
        heap.par_extend(xs());
        let mut sorted = vec.clone();
        sorted.sort();
        assert_eq!(heap.into_sorted_vec(), sorted);
        let mut set = HashSet::<i64>::from([5]);
        set.par_extend(xs());
        let mut tree = BTreeSet::from([5]);
        tree.par_extend(xs());
        assert!(
            tree.iter()
                .eq(&sorted.iter().copied().collect::<BTreeSet<_>>())
        );
        assert_eq!(set, tree.into_iter().collect());
        let mut ordered = BTreeMap::new();
        ordered.par_extend(map.par().splitting(policy));
        assert_eq!(ordered, map);
        let mut hashed = HashMap::<i64, i64>::new();
        hashed.par_extend(map.par().splitting(policy));
        assert_eq!(hashed.into_iter().collect::<BTreeMap<_, _>>(), map);
        ().par_extend(xs().map(|_| ()));
    });
}

#[test]
fn what_can_be_collected_into() {
    for n in [0, 1, 100] {
        let all = items(n);
        let text: String = all.iter().map(i64::to_string).collect();
        under_all!(|policy| {
            let xs = || all.par().splitting(policy).copied();
            let texts = || xs().map(|x| x.to_string());
            let kept = || xs().filter(|x| x % 2 == 0);
            assert_eq!(&xs().collect::<Arc<[i64]>>()[..], all);
            assert_eq!(&xs().collect::<Rc<[i64]>>()[..], all);
            assert_eq!(xs().collect::<Cow<[i64]>>(), all);
            assert_eq!(texts().collect::<Cow<str>>(), text);
            assert_eq!(&*texts().collect::<Box<str>>(), text);
            assert_eq!(&*text.par_chars().collect::<Box<str>>(), text);
            assert!(
                kept()
                    .collect::<LinkedList<_>>()
                    .into_iter()
                    .eq(kept().collect::<Vec<_>>())
            );
            let heap = kept().collect::<BinaryHeap<_>>();
            assert_eq!(
                heap.into_sorted_vec(),
                BinaryHeap::from(kept().collect::<Vec<_>>()).into_sorted_vec()
            );
            // The items come from a filtered sequence. They are pairs, whose left halves are pairs of a value and an option.
            let triples = kept().map(|x| ((x, Some(x)), x.to_string()));
            let made = triples.collect::<((Box<[i64]>, Option<Vec<i64>>), String)>();
            let must: Vec<i64> = all.iter().copied().filter(|x| x % 2 == 0).collect();
            assert_eq!(*made.0.0, must);
            assert_eq!(made.0.1.as_ref(), Some(&must));
            assert_eq!(made.1, must.iter().map(i64::to_string).collect::<String>());
        });
    }
}

#[test]
fn pairs_are_dropped_once() {
    under_all!(|policy| with_a_panic_at_each(|census: &Census, at| {
        let pairs = (0..LEN).par().splitting(policy).map(|i| {
            let left = census.bear(i);
            stop_at(at, i);
            (left, census.bear(i))
        });
        let (left, right): (LinkedList<_>, Arc<[_]>) = pairs.collect();
        assert!(
            left.iter()
                .zip(&*right)
                .enumerate()
                .all(|(i, (left, right))| { left.value == i && right.value == i })
        );
    }));
}
