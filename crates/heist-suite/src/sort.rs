//! Cilk's merge sort (`cilksort`), for any order of the items.

use crate::ctx::Ctx;

/// The minimum lengths at which sorting and merging fork.
#[derive(Clone, Copy)]
pub(crate) struct Cut {
    pub(crate) sort: usize,
    pub(crate) merge: usize,
}

impl Cut {
    /// The finest useful cutoffs: a leaf is an insertion sort of a few elements.
    pub(crate) const FINE: Cut = Cut {
        sort: 16,
        merge: 16,
    };
    /// Cilk's cutoffs, QUICKSIZE and MERGESIZE.
    pub(crate) const CILK: Cut = Cut {
        sort: 1024,
        merge: 2048,
    };
}

/// The order and the cutoffs of a sort. Order and cutoffs are in one struct, so that a fork copies only a reference to this struct.
pub(crate) struct How<L> {
    less: L,
    cut: Cut,
}

impl<L> How<L> {
    pub(crate) fn new<T>(less: L, cut: Cut) -> Self
    where
        L: Fn(&T, &T) -> bool,
    {
        How { less, cut }
    }
}

/// Sorts `data`. The workspace `spare` must be as long as `data`. Sorts the quarters in parallel, merges pairs of quarters into the
/// workspace, and merges the halves back.
pub(crate) fn sort<C, T, L>(ctx: C, data: &mut [T], spare: &mut [T], how: &How<L>)
where
    C: Ctx,
    T: Copy + Send + Sync,
    L: Fn(&T, &T) -> bool + Sync,
{
    if data.len() <= how.cut.sort {
        leaf(data, &how.less);
        return;
    }
    let half = data.len() / 2;
    {
        let (d0, d1) = data.split_at_mut(half);
        let (s0, s1) = spare.split_at_mut(half);
        ctx.join(
            |c| sort_halves(c, d0, s0, how),
            |c| sort_halves(c, d1, s1, how),
        );
        ctx.join(
            |c| merge_halves(c, d0, s0, how),
            |c| merge_halves(c, d1, s1, how),
        );
    }
    let (s0, s1) = spare.split_at(half);
    merge(ctx, s0, s1, data, how);
}

fn sort_halves<C, T, L>(ctx: C, data: &mut [T], spare: &mut [T], how: &How<L>)
where
    C: Ctx,
    T: Copy + Send + Sync,
    L: Fn(&T, &T) -> bool + Sync,
{
    let half = data.len() / 2;
    let (d0, d1) = data.split_at_mut(half);
    let (s0, s1) = spare.split_at_mut(half);
    ctx.join(|c| sort(c, d0, s0, how), |c| sort(c, d1, s1, how));
}

fn merge_halves<C, T, L>(ctx: C, data: &[T], out: &mut [T], how: &How<L>)
where
    C: Ctx,
    T: Copy + Send + Sync,
    L: Fn(&T, &T) -> bool + Sync,
{
    let (d0, d1) = data.split_at(data.len() / 2);
    merge(ctx, d0, d1, out, how);
}

/// Merges two sorted runs into `out`. Divides the longer run in the middle, and the shorter run at the position of the longer
/// run's middle element.
fn merge<C, T, L>(ctx: C, a: &[T], b: &[T], out: &mut [T], how: &How<L>)
where
    C: Ctx,
    T: Copy + Send + Sync,
    L: Fn(&T, &T) -> bool + Sync,
{
    if out.len() <= how.cut.merge {
        merge_leaf(a, b, out, &how.less);
        return;
    }
    let (i, j) = if a.len() >= b.len() {
        let i = a.len() / 2;
        (i, b.partition_point(|x| (how.less)(x, &a[i])))
    } else {
        let j = b.len() / 2;
        (a.partition_point(|x| !(how.less)(&b[j], x)), j)
    };
    let (a0, a1) = a.split_at(i);
    let (b0, b1) = b.split_at(j);
    let (out0, out1) = out.split_at_mut(i + j);
    // The closures are `move`, so that the frame contains the slices themselves and not the addresses of variables.
    ctx.join(
        move |c| merge(c, a0, b0, out0, how),
        move |c| merge(c, a1, b1, out1, how),
    );
}

fn merge_leaf<T: Copy, L: Fn(&T, &T) -> bool>(a: &[T], b: &[T], out: &mut [T], less: &L) {
    let (mut i, mut j) = (0, 0);
    for slot in out {
        // Take an element from `b` only if it is smaller, so that equal elements keep their order.
        if j < b.len() && (i == a.len() || less(&b[j], &a[i])) {
            *slot = b[j];
            j += 1;
        } else {
            *slot = a[i];
            i += 1;
        }
    }
}

fn leaf<T: Copy, L: Fn(&T, &T) -> bool>(data: &mut [T], less: &L) {
    if data.len() > 20 {
        data.sort_unstable_by(|x, y| {
            if less(x, y) {
                std::cmp::Ordering::Less
            } else if less(y, x) {
                std::cmp::Ordering::Greater
            } else {
                std::cmp::Ordering::Equal
            }
        });
        return;
    }
    for i in 1..data.len() {
        let x = data[i];
        let mut j = i;
        while j > 0 && less(&x, &data[j - 1]) {
            data[j] = data[j - 1];
            j -= 1;
        }
        data[j] = x;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ctx::Serial;
    use crate::noise::word;

    #[test]
    fn sorts_like_std() {
        for n in [0, 1, 2, 15, 16, 17, 40, 100, 1023, 5000] {
            for cut in [Cut::FINE, Cut::CILK, Cut { sort: 3, merge: 2 }] {
                for modulus in [3, 1000, u64::MAX] {
                    let mut data: Vec<u64> = (0..n).map(|i| word(9, i) % modulus).collect();
                    let mut expected = data.clone();
                    expected.sort_unstable();
                    let mut spare = vec![0; data.len()];
                    sort(Serial, &mut data, &mut spare, &How::new(|x, y| x < y, cut));
                    assert_eq!(data, expected);
                }
            }
        }
    }
}
