//! Tests of comparisons of two sequences.

use super::under_all;
use crate::par::prelude::*;

#[test]
fn by_their_first_unequal_items() {
    let sequences: [&[f64]; 9] = [
        &[],
        &[1.0],
        &[1.0, 2.0],
        &[1.0, 2.0, 3.0],
        &[1.0, 3.0],
        &[1.0, f64::NAN],
        &[1.0, f64::NAN, 3.0],
        &[2.0],
        &[f64::NAN],
    ];
    under_all!(|policy| {
        for left in sequences {
            for right in sequences {
                let ours = || left.par().splitting(policy);
                let ours = [
                    ours().ne(right),
                    ours().lt(right),
                    ours().le(right),
                    ours().gt(right),
                    ours().ge(right),
                ];
                let (a, b) = (|| left.iter(), || right.iter());
                let theirs = [
                    a().ne(b()),
                    a().lt(b()),
                    a().le(b()),
                    a().gt(b()),
                    a().ge(b()),
                ];
                assert_eq!(ours, theirs, "{left:?} and {right:?}");
            }
        }
    });
}
