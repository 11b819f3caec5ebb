//! Loops that fork with joins down to a grain size, for contenders that have only joins.

use std::panic::Location;

use crate::ctx::Ctx;

/// Returns the vector of `item(0)` to `item(len - 1)`. A task computes at most `grain` items.
#[track_caller]
pub(super) fn map<C, T, F>(ctx: C, len: usize, grain: usize, item: &F) -> Vec<T>
where
    C: Ctx,
    T: Clone + Default + Send,
    F: Fn(usize) -> T + Sync,
{
    let mut out = vec![T::default(); len];
    let ctx = ctx.on_behalf_of(Location::caller());
    fill(ctx, &mut out, grain, 0, item);
    out
}

fn fill<C, T, F>(ctx: C, out: &mut [T], grain: usize, first: usize, item: &F)
where
    C: Ctx,
    T: Send,
    F: Fn(usize) -> T + Sync,
{
    if out.len() <= grain {
        for (i, out) in out.iter_mut().enumerate() {
            *out = item(first + i);
        }
        return;
    }
    let middle = out.len() / 2;
    let (left, right) = out.split_at_mut(middle);
    ctx.join(
        |c| fill(c, left, grain, first, item),
        |c| fill(c, right, grain, first + middle, item),
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ctx::Serial;

    #[test]
    fn each_item_has_its_place() {
        for (len, grain) in [(0, 1), (1, 1), (7, 2), (8, 100)] {
            let squares = map(Serial, len, grain, &|i| i * i);
            assert!(squares.into_iter().eq((0..len).map(|i| i * i)));
        }
    }
}
