//! Searches for one placement of queens with a tree of races.

/// Returns the columns of the queens on the remaining rows, the last row first.
pub(crate) fn queens(n: u32, columns: u32, left: u32, right: u32) -> Option<Vec<u32>> {
    let all = (1 << n) - 1;
    if columns == all {
        return Some(Vec::new());
    }
    place(n, columns, left, right, all & !(columns | left | right))
}

fn place(n: u32, columns: u32, left: u32, right: u32, free: u32) -> Option<Vec<u32>> {
    if free == 0 {
        return None;
    }
    let bit = free & free.wrapping_neg();
    heist::race_hint(
        || {
            let mut found = queens(n, columns | bit, (left | bit) << 1, (right | bit) >> 1)?;
            found.push(bit.trailing_zeros());
            Some(found)
        },
        || place(n, columns, left, right, free & !bit),
    )
}

pub(crate) fn is_placement(n: u32, columns: &[u32]) -> bool {
    columns.len() == n as usize
        && columns.iter().enumerate().all(|(row, &column)| {
            columns[..row].iter().enumerate().all(|(other, &taken)| {
                taken != column && taken.abs_diff(column) as usize != row - other
            })
        })
}

#[test]
fn are_found_on_any_number_of_workers() {
    for workers in [1, 2, 8] {
        let pool = heist::Pool::new(workers).unwrap();
        for n in 1..=12 {
            let found = pool.install(|| queens(n, 0, 0, 0));
            match found {
                Some(columns) => assert!(is_placement(n, &columns), "{n}: {columns:?}"),
                None => assert!(n == 2 || n == 3, "{n}"),
            }
        }
    }
}
