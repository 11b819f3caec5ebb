//! Operations with the adapters, sources, collections and final methods that the table in `operations.rs` lacks.

use super::super::ways;
use super::{Operation, halves, owned, rope, text, tried};
use crate::par::prelude::*;
use crate::par::splitting::forced::Forced;
use crate::par::{Rope, empty, once, repeat_n, split};
use either::Either::{Left, Right};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, HashSet, LinkedList, VecDeque};
use std::rc::Rc;
use std::sync::{Arc, Mutex};

/// Returns `None` for one item in three.
fn some(x: &i64) -> Option<String> {
    (x % 3 != 2).then(|| text(x))
}

/// Returns `None` for about one item in four.
fn usual(x: &i64) -> Option<i64> {
    (x % 4 != -1).then_some(*x)
}

/// Takes items from both vectors alternately, until both are empty.
fn in_turn(left: Vec<String>, right: Vec<String>) -> Vec<String> {
    let (mut left, mut right) = (left.into_iter().fuse(), right.into_iter().fuse());
    let turns = left.len().max(right.len());
    let in_turn = (0..turns).flat_map(|_| [left.next(), right.next()]);
    in_turn.flatten().collect()
}

/// Returns the items that the operation has inspected, in order.
fn seen(see: impl FnOnce(&Mutex<Vec<String>>)) -> Vec<String> {
    let seen = Mutex::new(Vec::new());
    see(&seen);
    let mut seen = seen.into_inner().unwrap();
    seen.sort_unstable();
    seen
}

/// Cuts a slice into halves, unless a half would be empty.
fn divided(xs: &[i64]) -> (&[i64], Option<&[i64]>) {
    match halves(xs) {
        ([], _) => (xs, None),
        (left, right) => (left, Some(right)),
    }
}

/// Returns the items of a rope, without the shape of its tree.
fn flat(rope: Rope<String>) -> Vec<String> {
    rope.into_iter().collect()
}

operations! {
    // Adapters that change or leave out items.
    update: |xs, by| owned(xs).into_par().splitting(by).update(|s| s.push('!')).collect::<Vec<_>>()
        => xs.iter().map(|x| format!("{x}!")).collect::<Vec<_>>();
    flatten_iter: |xs, by| xs.par().splitting(by).map(|x| owned(&[*x][..x.rem_euclid(2) as usize])).flatten_iter().collect::<Vec<_>>()
        => xs.iter().filter(|x| x.rem_euclid(2) == 1).map(text).collect::<Vec<_>>();
    while_some: |xs, by| xs.par().splitting(by).map(some).while_some().collect::<Vec<_>>() => xs.iter().map_while(some).collect::<Vec<_>>();
    while_some_of_nested_sequences: |xs, by| xs.par().splitting(by)
            .flat_map(|x| (0..x.rem_euclid(4)).par().map(move |i| (i < 2).then_some(i + x)).while_some()).collect::<Vec<_>>()
        => xs.iter().flat_map(|x| (0..x.rem_euclid(4)).take(2).map(move |i| i + x)).collect::<Vec<_>>();
    while_some_around_nested_sequences: |xs, by| xs.par().flat_map(|x| (0..x.rem_euclid(4)).par().splitting(by).map(move |i| (i < 2).then_some(i + x)))
            .while_some().collect::<Vec<_>>()
        => xs.iter().flat_map(|x| (0..x.rem_euclid(4)).map(move |i| (i < 2).then_some(i + x))).map_while(|x| x).collect::<Vec<_>>();
    map_with: |xs, by| xs.par().splitting(by).map_with(String::new(), |s, x| { *s = text(x); s.clone() }).collect::<Vec<_>>() => owned(xs);
    positions: |xs, by| xs.par().splitting(by).positions(|x| x % 3 == 0).collect::<Vec<_>>()
        => xs.iter().enumerate().filter(|(_, x)| *x % 3 == 0).map(|(i, _)| i).collect::<Vec<_>>();

    // Adapters that keep places.
    zip_eq: |xs, by| xs.par().splitting(by).zip_eq(owned(xs)).collect::<Vec<_>>() => xs.iter().zip(owned(xs)).collect::<Vec<_>>();
    interleave: |xs, by| { let (a, b) = xs.split_at(xs.len() / 3); owned(a).into_par().splitting(by).interleave(owned(b)).collect::<Vec<_>>() }
        => { let (a, b) = xs.split_at(xs.len() / 3); in_turn(owned(a), owned(b)) };
    interleave_with_fewer: |xs, by| { let (b, a) = xs.split_at(xs.len() / 3);
        owned(a).into_par().splitting(by).interleave(owned(b)).rev().collect::<Vec<_>>() }
        => { let (b, a) = xs.split_at(xs.len() / 3); let mut all = in_turn(owned(a), owned(b)); all.reverse(); all };
    interleave_shortest: |xs, by| { let (a, b) = halves(xs); owned(a).into_par().splitting(by).interleave_shortest(owned(b)).collect::<Vec<_>>() }
        => { let (a, b) = halves(xs); in_turn(owned(a), owned(&b[..a.len()])) };
    interleave_shortest_with_fewer: |xs, by| { let (b, a) = xs.split_at(xs.len() / 3);
        owned(a).into_par().splitting(by).interleave_shortest(owned(b)).collect::<Vec<_>>() }
        => { let (b, a) = xs.split_at(xs.len() / 3); in_turn(owned(&a[..a.len().min(b.len() + 1)]), owned(b)) };
    intersperse: |xs, by| owned(halves(xs).1).into_par().splitting(by).intersperse(String::from(",")).reduce(String::new, |a, b| a + &b)
        => owned(halves(xs).1).join(",");
    intersperse_from_behind: |xs, by| owned(halves(xs).1).into_par().splitting(by).intersperse(String::from(",")).skip(1).rev().collect::<Vec<_>>()
        => owned(halves(xs).1).iter().rev().flat_map(|s| [s.clone(), String::from(",")])
        .take((2 * halves(xs).1.len()).saturating_sub(2)).collect::<Vec<_>>();
    chunks: |xs, by| owned(xs).into_par().splitting(by).chunks(2).collect::<Vec<_>>() => owned(xs).chunks(2).map(<[_]>::to_vec).collect::<Vec<_>>();
    chunks_from_behind: |xs, by| owned(xs).into_par().splitting(by).chunks(3).rev().collect::<Vec<_>>()
        => owned(xs).chunks(3).rev().map(<[_]>::to_vec).collect::<Vec<_>>();
    chunks_in_steps: |xs, by| rope(xs).par().splitting(by).copied().chunks(2).step_by(2).collect::<Vec<_>>()
        => xs.chunks(2).step_by(2).map(<[_]>::to_vec).collect::<Vec<_>>();
    fold_chunks: |xs, by| xs.par().splitting(by).fold_chunks(2, String::new, |s, x| s + &text(x)).collect::<Vec<_>>()
        => xs.chunks(2).map(|chunk| owned(chunk).concat()).collect::<Vec<_>>();
    fold_chunks_with: |xs, by| owned(xs).into_par().splitting(by).fold_chunks_with(3, String::from("+"), |all, s| all + &s).collect::<Vec<_>>()
        => xs.chunks(3).map(|chunk| "+".to_string() + &owned(chunk).concat()).collect::<Vec<_>>();

    // Sources of sequences.
    option: |xs, by| xs.first().map(text).into_par().splitting(by).chain(owned(halves(xs).1)).collect::<Vec<_>>()
        => xs.first().map(text).into_iter().chain(owned(halves(xs).1)).collect::<Vec<_>>();
    result: |xs, by| xs.par().splitting(by).map(tried).flatten().collect::<Vec<_>>() => xs.iter().flat_map(tried).collect::<Vec<_>>();
    one_and_none: |xs, by| once(7).splitting(by).chain(xs.par().copied()).chain(empty()).collect::<Vec<_>>()
        => std::iter::once(7).chain(xs.iter().copied()).collect::<Vec<_>>();
    the_same_again: |xs, by| repeat_n(String::from("a"), xs.len()).splitting(by).collect::<Vec<_>>() => vec![String::from("a"); xs.len()];
    pieces_of_a_split: |xs, by| split(xs, divided).splitting(by).map(<[_]>::to_vec).collect::<Vec<_>>()
        => if xs.is_empty() { vec![vec![]] } else { xs.iter().map(|x| vec![*x]).collect::<Vec<_>>() };
    pieces_of_nested_splits: |xs, by| xs.par_chunks(3).splitting(by).flat_map(|xs| split(xs, divided)).map(|xs| xs[0]).collect::<Vec<_>>()
        => xs.to_vec();
    par_bridge: |xs, by| owned(xs).into_iter().par_bridge().splitting(by).filter(|s| s.len() > 1).collect::<Vec<_>>()
        => owned(xs).into_iter().filter(|s| s.len() > 1).collect::<Vec<_>>();
    par_bridge_in_parts: |xs, by| xs.par().splitting(by).flat_map(|x| (0..x.rem_euclid(3)).map(move |i| i + x).par_bridge()).collect::<Vec<_>>()
        => xs.iter().flat_map(|x| (0..x.rem_euclid(3)).map(move |i| i + x)).collect::<Vec<_>>();
    list: |xs, by| owned(xs).into_iter().collect::<LinkedList<_>>().into_par().splitting(by).collect::<LinkedList<_>>()
        => owned(xs).into_iter().collect::<LinkedList<_>>();
    list_by_reference: |xs, by| xs.iter().copied().collect::<LinkedList<_>>().par().splitting(by).copied().collect::<Vec<_>>() => xs.to_vec();
    deque_to_be_changed: |xs, by| { let mut all: VecDeque<_> = xs.iter().copied().collect(); all.rotate_left(xs.len() / 2);
        all.par_mut().splitting(by).enumerate().for_each(|(i, x)| *x += i as i64); all }
        => { let mut all: VecDeque<_> = xs.iter().copied().collect(); all.rotate_left(xs.len() / 2);
        all.iter_mut().zip(0..).for_each(|(x, i)| *x += i); all };
    values_to_be_changed: |xs, by| { let mut all: BTreeMap<_, _> = xs.iter().map(|x| (*x, -x)).collect();
        all.par_mut().splitting(by).for_each(|(key, x)| *x += 2 * key); all }
        => xs.iter().map(|x| (*x, *x)).collect::<BTreeMap<_, _>>();
    a_dozen: |xs, by| (xs, xs, xs, xs, xs, xs, xs, xs, xs, xs, 0..xs.len(), owned(xs)).into_par().splitting(by)
            .map(|t| (*t.0 + t.1 + t.2 + t.3 + t.4 + t.5 + t.6 + t.7 + t.8 + t.9, t.10, t.11)).collect::<Vec<_>>()
        => xs.iter().enumerate().map(|(i, x)| (10 * x, i, text(x))).collect::<Vec<_>>();

    // Collections that operations fill.
    collect_heap: |xs, by| xs.par().splitting(by).copied().collect::<BinaryHeap<_>>().into_sorted_vec()
        => { let mut all = xs.to_vec(); all.sort_unstable(); all };
    collect_ordered_map: |xs, by| xs.par().splitting(by).enumerate().map(|(i, x)| (x % 4, i)).collect::<BTreeMap<_, _>>()
        => xs.iter().enumerate().map(|(i, x)| (x % 4, i)).collect::<BTreeMap<_, _>>();
    collect_shared: |xs, by| owned(xs).into_par().splitting(by).collect::<Arc<[_]>>() => owned(xs).into();
    collect_counted: |xs, by| owned(xs).into_par().splitting(by).filter(|s| s.len() > 1).collect::<Rc<[_]>>()
        => owned(xs).into_iter().filter(|s| s.len() > 1).collect::<Rc<[_]>>();
    collect_boxed_string: |xs, by| owned(xs).par().splitting(by).map(String::as_str).collect::<Box<str>>() => owned(xs).concat().into_boxed_str();
    collect_cow: |xs, by| owned(xs).into_par().splitting(by).map(String::into_boxed_str).collect::<Cow<'_, str>>()
        => Cow::<str>::Owned(owned(xs).concat());
    collect_pair: |xs, by| xs.par().splitting(by).map(|x| (*x, text(x))).collect::<(BTreeSet<_>, String)>()
        => (xs.iter().copied().collect::<BTreeSet<_>>(), owned(xs).concat());
    collect_pair_of_results: |xs, by| xs.par().splitting(by).map(|x| tried(x).map(|x| (x, text(&x)))).collect::<Result<(Vec<_>, Vec<_>), _>>()
        => xs.iter().map(|x| tried(x).map(|x| (x, text(&x)))).collect::<Result<(Vec<_>, Vec<_>), _>>();
    collect_into_vec: |xs, by| { let mut all = owned(&[7, 8]); owned(xs).into_par().splitting(by).collect_into_vec(&mut all); all } => owned(xs);
    unzip_into_vecs: |xs, by| { let (mut left, mut right) = (vec![7], owned(&[7, 8]));
        xs.par().splitting(by).map(|x| (*x, text(x))).unzip_into_vecs(&mut left, &mut right); (left, right) }
        => (xs.to_vec(), owned(xs));
    partition_map: |xs, by| xs.par().splitting(by).partition_map::<Vec<_>, VecDeque<_>, _, _, _>(|x| if x % 3 == 0 { Left(text(x)) } else { Right(*x) })
        => (xs.iter().filter(|x| *x % 3 == 0).map(text).collect::<Vec<_>>(),
        xs.iter().filter(|x| *x % 3 != 0).copied().collect::<VecDeque<_>>());
    extend_deque: |xs, by| { let mut all = VecDeque::from(owned(&[7])); all.par_extend(owned(xs).into_par().splitting(by)); all }
        => { let mut all = VecDeque::from(owned(&[7])); all.extend(owned(xs)); all };
    extend_set: |xs, by| { let mut all = HashSet::from([7]); all.par_extend(xs.par().splitting(by)); all }
        => { let mut all = HashSet::from([7]); all.extend(xs); all };
    extend_map: |xs, by| { let mut all = HashMap::from([(3, 3)]); all.par_extend(xs.par().splitting(by).enumerate().map(|(i, x)| (*x, i))); all }
        => { let mut all = HashMap::from([(3, 3)]); all.extend(xs.iter().enumerate().map(|(i, x)| (*x, i))); all };
    extend_string: |xs, by| { let mut all = String::from("7"); all.par_extend(owned(xs).into_par().splitting(by)); all }
        => { let mut all = String::from("7"); all.extend(owned(xs)); all };
    extend_pair: |xs, by| { let mut all = (owned(&[7]), BTreeSet::from([7]));
        all.par_extend(xs.par().splitting(by).map(|x| (text(x), *x))); all }
        => { let mut all = (owned(&[7]), BTreeSet::from([7])); all.extend(xs.iter().map(|x| (text(x), *x))); all };
    extend_rope: |xs, by| { let mut all = owned(&[7, 8]).into_par().collect_rope(2); all.par_extend(owned(xs).into_par().splitting(by)); flat(all) }
        => { let mut all = owned(&[7, 8]); all.extend(owned(xs)); all };

    // Ropes that share all their leaves, or a part of them, with other ropes.
    rope_of_another_one: |xs, by| { let all = owned(xs).into_par().collect_rope(2); let part = all.slice(xs.len() / 3..);
        let taken = all.into_par().splitting(by).collect::<Vec<_>>(); (taken, flat(part)) }
        => (owned(xs), owned(&xs[xs.len() / 3..]));
    rope_sorted: |xs, by| { let all = owned(xs).into_par().splitting(by).collect_rope(2); let same = all.clone();
        (flat(all.par_sorted()), flat(same)) }
        => { let mut all = owned(xs); all.sort(); (all, owned(xs)) };
    rope_scanned: |xs, by| flat(owned(xs).into_par().splitting(by).inclusive_scan_rope(2, |a, b| format!("{a}{b}")))
        => owned(xs).into_iter().scan(String::new(), |all, s| { all.push_str(&s); Some(all.clone()) }).collect::<Vec<_>>();
    rope_scanned_before: |xs, by| { let (before, all) = owned(xs).into_par().splitting(by).exclusive_scan_rope(2, String::from("-"), |a, b| format!("{a}{b}"));
        (flat(before), all) }
        => { let mut all = String::from("-");
        let before = owned(xs).into_iter().map(|s| { let more = format!("{all}{s}"); std::mem::replace(&mut all, more) }).collect::<Vec<_>>();
        (before, all) };

    // Operations with a scratch value.
    for_each_init: |xs, by| seen(|seen| xs.par().splitting(by).for_each_init(String::new, |s, x| { *s = text(x); seen.lock().unwrap().push(s.clone()); }))
        => { let mut all = owned(xs); all.sort_unstable(); all };
    for_each_with: |xs, by| seen(|seen| owned(xs).into_par().splitting(by).for_each_with(String::new(), |s, x| { *s = x; seen.lock().unwrap().push(s.clone()); }))
        => { let mut all = owned(xs); all.sort_unstable(); all };
    try_for_each_init: |xs, by| xs.par().splitting(by).try_for_each_init(|| 0, |work, x| { *work = *x; tried(work).map(drop) })
        => xs.iter().try_for_each(|x| tried(x).map(drop));
    try_for_each_with: |xs, by| xs.par().splitting(by).try_for_each_with(0, |work, x| { *work = *x; tried(work).map(drop) })
        => xs.iter().try_for_each(|x| tried(x).map(drop));

    // A match behind the end of a nested sequence does not count. Such a match stops neither items to its left nor items to the right of
    // the sequence that has ended.
    find_first_behind_an_end: |xs, by| xs.par_chunks(3).splitting(by)
            .flat_map(|xs| xs.par().splitting(by).map(usual).while_some()).find_first(|x| x % 5 == 4)
        => xs.chunks(3).flat_map(|xs| xs.iter().map_while(usual)).find(|x| x % 5 == 4);
    find_last_behind_an_end: |xs, by| xs.par_chunks(3).splitting(by)
            .flat_map(|xs| xs.par().splitting(by).map(usual).while_some()).find_last(|x| x % 5 == 3)
        => xs.chunks(3).flat_map(|xs| xs.iter().map_while(usual)).filter(|x| x % 5 == 3).last();
    any_behind_an_end: |xs, by| xs.par_chunks(3).splitting(by)
            .flat_map(|xs| xs.par().splitting(by).map(usual).while_some()).any(|x| x % 13 == 0)
        => xs.chunks(3).flat_map(|xs| xs.iter().map_while(usual)).any(|x| x % 13 == 0);
    find_last_behind_an_end_around: |xs, by| xs.par_chunks(3).splitting(by)
            .flat_map(|xs| xs.par().splitting(by).map(usual)).while_some().find_last(|x| x % 5 == 3)
        => xs.iter().map_while(usual).filter(|x| x % 5 == 3).last();

    // Folds, searches, comparisons.
    try_reduce_with: |xs, by| xs.par().splitting(by).map(|x| tried(x).map(|x| text(&x))).try_reduce_with(|a, b| Ok(a + &b))
        => (!xs.is_empty()).then(|| xs.iter().map(|x| tried(x).map(|x| text(&x))).collect::<Result<String, _>>());
    find_map_last: |xs, by| xs.par().splitting(by).enumerate().find_map_last(|(i, x)| (x % 3 == 1).then(|| format!("{i} {x}")))
        => xs.iter().enumerate().rev().find_map(|(i, x)| (x % 3 == 1).then(|| format!("{i} {x}")));
    position_last: |xs, by| xs.par().splitting(by).position_last(|x| x % 3 == 0) => xs.iter().rposition(|x| x % 3 == 0);
    ne: |xs, by| xs.par().splitting(by).ne(xs.par().rev()) => xs.iter().ne(xs.iter().rev());
    lt: |xs, by| xs.par().splitting(by).lt(xs.par().rev()) => xs.iter().lt(xs.iter().rev());
    le: |xs, by| xs.par().splitting(by).le(xs.par().rev()) => xs.iter().le(xs.iter().rev());
    gt: |xs, by| xs.par().splitting(by).gt(xs.par().rev()) => xs.iter().gt(xs.iter().rev());
    ge: |xs, by| xs.par().splitting(by).ge(xs.par().rev()) => xs.iter().ge(xs.iter().rev());
}
