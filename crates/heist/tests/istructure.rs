//! Tests of I-structures: arrays of futures.

use heist::Pool;
use heist::sync::{CellWriter, IStructure, i_structure};
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Waker};
use std::thread;
use std::time::Duration;

const SIDE: usize = if cfg!(miri) { 8 } else { 100 };

fn message(work: impl FnOnce()) -> String {
    let payload = catch_unwind(AssertUnwindSafe(work)).expect_err("it panics");
    match payload.downcast::<String>() {
        Ok(text) => *text,
        Err(payload) => (*payload.downcast::<&str>().expect("a text")).to_owned(),
    }
}

#[test]
fn values_that_were_put_can_be_read() {
    let (mut writer, cells) = i_structure(200);
    assert_eq!((cells.len(), cells.is_empty()), (200, false));
    for index in (0..200).rev() {
        assert_eq!(cells.try_get(index), None);
        writer.put(index, index.to_string());
        assert_eq!(cells.get(index), &index.to_string());
    }
    assert!(i_structure::<u8>(0).1.is_empty());
}

#[test]
fn bad_indices_are_told() {
    let (writer, cells) = i_structure::<u32>(10);
    let (mut left, right) = writer.split_at(4);
    assert_eq!((left.range(), right.range()), (0..4, 4..10));
    assert_eq!(
        message(|| left.put(4, 0)),
        "heist: cell 4 is not one of this writer's, which are 0..4"
    );
    left.put(3, 30);
    assert_eq!(
        message(|| left.put(3, 0)),
        "heist: cell 3 has been put already"
    );
    assert_eq!(*cells.get(3), 30);
    assert_eq!(
        message(|| drop(right.split_at(11))),
        "heist: 11 is not in 4..10, the cells of this writer"
    );
    assert!(message(|| drop(cells.get_async(10))).contains("no cell 10"));
    assert_eq!(
        message(|| _ = cells.try_get(10)),
        "heist: there is no cell 10: the I-structure has 10"
    );
}

#[test]
fn a_dropped_writer_breaks_the_cells_it_has_not_put() {
    let (mut writer, cells) = i_structure(4);
    writer.put(1, 1);
    let (first, second) = writer.split_at(3);
    drop(first);
    assert_eq!(cells.try_get(1), Some(&1));
    assert_eq!(cells.try_get(3), None);
    for index in [0, 2] {
        let text = message(|| _ = cells.get(index));
        assert!(
            text.contains(&format!("cell {index} of the I-structure made at")),
            "{text}"
        );
    }
    // A task that already waits also gets the panic.
    let pool = Pool::new(1).unwrap();
    let waiting = {
        let cells = cells.clone();
        pool.spawn_async(async move { *cells.get_async(3).await })
    };
    thread::sleep(Duration::from_millis(10));
    drop(second);
    assert!(message(|| _ = waiting.get()).contains("cell 3 of the I-structure"));
}

/// Each value is dropped once. Cells without a value drop nothing.
#[test]
fn values_are_dropped_once() {
    struct Counted(Arc<AtomicUsize>);
    impl Drop for Counted {
        fn drop(&mut self) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }
    let drops = Arc::new(AtomicUsize::new(0));
    let (mut writer, cells) = i_structure(100);
    for index in (0..100).step_by(3) {
        writer.put(index, Counted(drops.clone()));
    }
    drop(writer);
    let other = cells.clone();
    drop(cells);
    assert_eq!(drops.load(Ordering::Relaxed), 0);
    drop(other);
    assert_eq!(drops.load(Ordering::Relaxed), 34);
}

/// The values behind a value whose drop panics are dropped, too.
#[test]
fn a_drop_that_panics_leaves_none_behind() {
    struct Counted(usize, Arc<AtomicUsize>);
    impl Drop for Counted {
        fn drop(&mut self) {
            self.1.fetch_add(1, Ordering::Relaxed);
            assert_ne!(self.0, 3, "planted");
        }
    }
    let drops = Arc::new(AtomicUsize::new(0));
    let (mut writer, cells) = i_structure(10);
    for index in writer.range() {
        writer.put(index, Counted(index, drops.clone()));
    }
    drop(writer);
    assert_eq!(message(|| drop(cells)).matches("planted").count(), 1);
    assert_eq!(drops.load(Ordering::Relaxed), 10);
}

/// Computes a row of binomial coefficients. The task waits for the cells of the row above.
async fn row_async(cells: IStructure<u64>, mut own: CellWriter<u64>) {
    for index in own.range() {
        let (i, j) = (index / SIDE, index % SIDE);
        let value = if i == 0 || j == 0 {
            1
        } else {
            let up = *cells.get_async(index - SIDE).await;
            up.wrapping_add(*cells.get_async(index - 1).await)
        };
        own.put(index, value);
    }
}

fn row(cells: &IStructure<u64>, mut own: CellWriter<u64>) {
    for index in own.range() {
        let (i, j) = (index / SIDE, index % SIDE);
        let value = if i == 0 || j == 0 {
            1
        } else {
            cells.get(index - SIDE).wrapping_add(*cells.get(index - 1))
        };
        own.put(index, value);
    }
}

fn check(cells: &IStructure<u64>) {
    let mut last = vec![1_u64; SIDE];
    for i in 1..SIDE {
        for j in 1..SIDE {
            last[j] = last[j].wrapping_add(last[j - 1]);
        }
        for (j, must) in last.iter().enumerate() {
            assert_eq!(cells.get(i * SIDE + j), must, "{i}, {j}");
        }
    }
}

#[test]
fn rows_that_wait_for_rows() {
    let rounds = if cfg!(miri) { 1 } else { 20 };
    for workers in [1, 2, 3, 8] {
        let pool = Pool::new(workers).unwrap();
        for _ in 0..rounds {
            // These tasks compute pieces of rows, and the tasks that were spawned last begin first, so nearly all of them wait.
            let (writer, cells) = i_structure(SIDE * SIDE);
            pool.finish(|f| {
                for own in writer.chunks(SIDE.div_ceil(3)) {
                    f.spawn_async(row_async(cells.clone(), own));
                }
            });
            check(&cells);
        }
        let (writer, cells) = i_structure(SIDE * SIDE);
        pool.finish(|f| {
            for own in writer.chunks(SIDE) {
                let cells = &cells;
                f.spawn(move |_| row(cells, own));
            }
        });
        check(&cells);
    }
}

#[test]
fn threads_outside_wait_for_threads_outside() {
    let (writer, cells) = i_structure(SIDE * SIDE);
    thread::scope(|scope| {
        let rows = SIDE / 4;
        for own in writer.chunks(rows * SIDE) {
            let cells = &cells;
            scope.spawn(move || row(cells, own));
        }
    });
    check(&cells);
}

/// Many tasks wait for each cell. Some of these tasks give up while the cell is put.
#[test]
fn many_wait_for_a_cell_and_some_give_up() {
    let rounds = if cfg!(miri) { 2 } else { 300 };
    let pool = Pool::new(3).unwrap();
    for round in 0..rounds {
        let (mut writer, cells) = i_structure(64);
        // The first put of the block clears bits, so that later getters find them clear.
        writer.put(0, 0);
        let all: Vec<_> = (1..64)
            .flat_map(|index| [index; 3])
            .map(|index| {
                let cells = cells.clone();
                pool.spawn_async(async move {
                    if index % 7 == round % 7 {
                        let mut given_up = pin!(cells.get_async(index));
                        let waker = Waker::noop();
                        let polled = given_up.as_mut().poll(&mut Context::from_waker(waker));
                        if let Poll::Ready(value) = polled {
                            return *value;
                        }
                    }
                    *cells.get_async(index).await
                })
            })
            .collect();
        for index in (1..64)
            .map(|index| index * 5 % 64)
            .filter(|&index| index > 0)
        {
            writer.put(index, index);
        }
        for (place, task) in all.iter().enumerate() {
            assert_eq!(*task.get(), 1 + place / 3);
        }
    }
}

/// One thread puts cells as fast as it can, and another thread reads closely behind it. The test covers the time between the writer's light
/// fence and the reader's heavy fence.
#[test]
fn a_reader_close_behind_the_writer_misses_nothing() {
    let len = if cfg!(miri) { 100 } else { 300_000 };
    let pool = Pool::new(2).unwrap();
    let (mut writer, cells) = i_structure(len);
    let follower = pool.spawn_async(async move {
        let mut sum = 0;
        for index in 0..cells.len() {
            sum += *cells.get_async(index).await;
        }
        sum
    });
    let leader = pool.spawn_async(async move {
        for index in writer.range() {
            writer.put(index, index);
        }
    });
    leader.get();
    assert_eq!(*follower.get(), len * (len - 1) / 2);
}
