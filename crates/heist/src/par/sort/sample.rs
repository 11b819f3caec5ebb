//! Samples of a slice, from which pivots are chosen.

use super::Order;

/// Moves `count` elements, spread over the whole slice, to the front of the slice, and sorts these elements.
///
/// The choice of these elements depends only on the length of the slice, so repeated sorts of the same slice give the same result.
pub(super) fn draw<'v, T>(v: &'v mut [T], count: usize, order: &impl Order<T>) -> &'v mut [T] {
    let stride = v.len() / count;
    let mut noise = v.len() as u64 | 1;
    for i in 0..count {
        // The generator is xorshift (Marsaglia, Xorshift RNGs, 2003).
        noise ^= noise << 13;
        noise ^= noise >> 7;
        noise ^= noise << 17;
        let j = i * stride + noise as usize % stride;
        // Since `stride` is at least 1, `j` is not less than `i`, so no drawn element is exchanged again.
        v.swap(i, j);
    }
    let drawn = &mut v[..count];
    drawn.sort_unstable_by(order);
    drawn
}

/// Returns true if all elements of a sorted sample are equal.
pub(super) fn is_flat<T>(drawn: &[T], order: &impl Order<T>) -> bool {
    !order.less(&drawn[0], &drawn[drawn.len() - 1])
}
