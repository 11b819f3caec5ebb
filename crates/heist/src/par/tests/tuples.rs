//! Tuples of sequences as sequences of tuples.

use super::{pool, under_all};
use crate::par::prelude::*;

#[test]
fn twelve_at_a_time() {
    let (words, units) = (vec!["a".to_string(); 9], vec![(); 20]);
    under_all!(|policy| {
        let all = (
            (0..30).par(),
            1..31,
            (0..30).par().rev(),
            &words,
            units.par(),
            words.par().map(|word| word.len()),
            vec![7_u8; 50],
            (0..=40_u64).par(),
            words.par_chunks(1),
            (0..11).par().splitting(policy),
            [5; 12],
            ('a'..='z').collect::<Vec<_>>(),
        );
        let items: Vec<_> = all.into_par().splitting(policy).rev().collect();
        assert_eq!(items.len(), 9);
        for (i, item) in items.iter().rev().enumerate() {
            let (a, b, c, d, (), f, g, h, i9, j, k, l) = *item;
            assert_eq!((a, b, c, j), (i, i as i32 + 1, 29 - i, i));
            assert_eq!(
                (d.as_str(), f, g, h, i9, k),
                ("a", 1, 7, i as u64, &words[i..=i], 5)
            );
            assert_eq!(l, char::from(b'a' + i as u8));
        }
    });
}

#[test]
fn as_many_as_one_likes() {
    pool(2).install(|| {
        let r = || 0..5;
        let five = (r(), r(), r(), r(), r()).into_par();
        let eight = (r(), r(), r(), r(), r(), r(), r(), r()).into_par();
        let sum = five
            .zip(eight)
            .map(|((a, .., b), (c, .., d))| a + b + c + d);
        assert_eq!(sum.collect::<Vec<_>>(), [0, 4, 8, 12, 16]);
    });
}
