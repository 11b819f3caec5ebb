//! A recursive merge sort on `join`: it sorts both halves in parallel, and merges them in parallel,
//! too.
//!
//! ```text
//! cargo run --release -p heist --example mergesort -- 1000000
//! ```

/// The length up to which the standard library sorts and a loop merges.
const SMALL: usize = 512;

/// Sorts `items`; `space` must have the same length, and is used for merging.
fn sort_with<T: Copy + Ord + Send + Sync>(items: &mut [T], space: &mut [T]) {
    if items.len() <= SMALL {
        items.sort_unstable();
        return;
    }
    let middle = items.len() / 2;
    let (left, right) = items.split_at_mut(middle);
    let (left_space, right_space) = space.split_at_mut(middle);
    heist::join(
        || sort_with(left, left_space),
        || sort_with(right, right_space),
    );
    merge(left, right, space);
    items.copy_from_slice(space);
}

/// Merges two sorted slices into `out`. The middle element of the longer slice divides both slices.
fn merge<T: Copy + Ord + Send + Sync>(a: &[T], b: &[T], out: &mut [T]) {
    if a.len() < b.len() {
        return merge(b, a, out);
    }
    if a.len() <= SMALL {
        let (mut a, mut b) = (a, b);
        for place in out {
            let from = if b.is_empty() || !a.is_empty() && a[0] <= b[0] {
                &mut a
            } else {
                &mut b
            };
            *place = from[0];
            *from = &from[1..];
        }
        return;
    }
    let middle = a.len() / 2;
    let cut = b.partition_point(|item| *item < a[middle]);
    let (low, high) = out.split_at_mut(middle + cut);
    heist::join(
        || merge(&a[..middle], &b[..cut], low),
        || merge(&a[middle..], &b[cut..], high),
    );
}

/// Sorts `items` in parallel.
pub fn sort<T: Copy + Ord + Send + Sync>(items: &mut [T]) {
    let mut space = items.to_vec();
    sort_with(items, &mut space);
}

/// Runs the example.
pub fn main() {
    let count = std::env::args()
        .nth(1)
        .and_then(|text| text.parse().ok())
        .unwrap_or(100_000);
    let mut items: Vec<u64> = (0..count)
        .map(|i: u64| i.wrapping_mul(0x9e37_79b9_7f4a_7c15))
        .collect();
    sort(&mut items);
    assert!(items.is_sorted());
    println!("{} items sorted", items.len());
}
