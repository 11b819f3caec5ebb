//! Cilk's merge sort (`cilksort`), over any order.

use crate::ctx::Ctx;

/// Below which length sorting and merging stop forking.
#[derive(Clone, Copy)]
pub(crate) struct Cut {
    pub(crate) sort: usize,
    pub(crate) merge: usize,
}

impl Cut {
    /// As fine as makes sense: an insertion sort of a few elements is the leaf.
    pub(crate) const FINE: Cut = Cut {
        sort: 16,
        merge: 16,
    };
    /// Cilk's: QUICKSIZE and MERGESIZE.
    pub(crate) const CILK: Cut = Cut {
        sort: 1024,
        merge: 2048,
    };
}

/// Sorts `data`, with `spare` of the same length as workspace: quarters are sorted in parallel, merged pairwise into
/// the workspace, and merged back.
pub(crate) fn sort<C, T, L>(ctx: C, data: &mut [T], spare: &mut [T], less: &L, cut: Cut)
where
    C: Ctx,
    T: Copy + Send + Sync,
    L: Fn(&T, &T) -> bool + Sync,
{
    if data.len() <= cut.sort {
        leaf(data, less);
        return;
    }
    let half = data.len() / 2;
    let quarter = half / 2;
    {
        let (d01, d23) = data.split_at_mut(half);
        let (d0, d1) = d01.split_at_mut(quarter);
        let (d2, d3) = d23.split_at_mut(quarter);
        let (s01, s23) = spare.split_at_mut(half);
        let (s0, s1) = s01.split_at_mut(quarter);
        let (s2, s3) = s23.split_at_mut(quarter);
        ctx.join(
            |c| {
                c.join(
                    |c| sort(c, d0, s0, less, cut),
                    |c| sort(c, d1, s1, less, cut),
                )
            },
            |c| {
                c.join(
                    |c| sort(c, d2, s2, less, cut),
                    |c| sort(c, d3, s3, less, cut),
                )
            },
        );
        ctx.join(
            |c| merge(c, d0, d1, s01, less, cut),
            |c| merge(c, d2, d3, s23, less, cut),
        );
    }
    let (s01, s23) = spare.split_at(half);
    merge(ctx, s01, s23, data, less, cut);
}

/// Merges two sorted runs into `out`: the longer one is cut in the middle, the other where that element belongs.
fn merge<C, T, L>(ctx: C, a: &[T], b: &[T], out: &mut [T], less: &L, cut: Cut)
where
    C: Ctx,
    T: Copy + Send + Sync,
    L: Fn(&T, &T) -> bool + Sync,
{
    if out.len() <= cut.merge {
        merge_leaf(a, b, out, less);
        return;
    }
    let (i, j) = if a.len() >= b.len() {
        let i = a.len() / 2;
        (i, b.partition_point(|x| less(x, &a[i])))
    } else {
        let j = b.len() / 2;
        (a.partition_point(|x| !less(&b[j], x)), j)
    };
    let (a0, a1) = a.split_at(i);
    let (b0, b1) = b.split_at(j);
    let (out0, out1) = out.split_at_mut(i + j);
    ctx.join(
        |c| merge(c, a0, b0, out0, less, cut),
        |c| merge(c, a1, b1, out1, less, cut),
    );
}

fn merge_leaf<T: Copy, L: Fn(&T, &T) -> bool>(a: &[T], b: &[T], out: &mut [T], less: &L) {
    let (mut i, mut j) = (0, 0);
    for slot in out {
        // Take from `b` only what is smaller, so that equal elements keep their order.
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
                    sort(Serial, &mut data, &mut spare, &|x, y| x < y, cut);
                    assert_eq!(data, expected);
                }
            }
        }
    }
}
