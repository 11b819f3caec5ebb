//! The version with a future for each cell and a task for each row. The task of a row waits for the cell above each of its cells.
//!
//! The entrant spawns all tasks before it waits for any task. The three forms of Heist's tasks have the same code, but each form waits in
//! its own way. A task need not wait for the left neighbour of a cell, because it has computed this neighbour itself. The task also need
//! not wait for the diagonal neighbour, because it waited for this neighbour when it computed the previous cell.

use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, OnceLock};

use heist::sync::{CellWriter, IStructure, i_structure};
use tokio::sync::SetOnce;

use super::super::dag::Flow;
use super::super::pools::{Form, Pools, on_threads};
use super::super::program::Checked;
use super::super::{Entrant, Instance};
use super::{End, Table, cell};

/// The table, with a future for each cell.
pub(super) struct Rows(Flow<Table>);

impl Rows {
    /// Makes the program for a table whose tiles have one cell each.
    pub(super) fn new(table: Table) -> Self {
        assert_eq!(table.tile, 1, "a future for each cell");
        Rows(Flow::new(table))
    }
}

impl Instance for Rows {
    fn params(&self) -> String {
        let (rows, columns) = self.0.dag().tiles();
        let futures = rows * columns;
        format!("letters={rows}x{columns} tasks={rows} futures={futures}")
    }

    fn reset(&mut self) {
        self.0.dag().reset();
    }

    fn run(&mut self, who: Entrant, pools: &Pools) -> Result<(), String> {
        let table = self.0.dag();
        match who {
            // These entrants run plain loops, or parallel loops over the diagonals, so no task waits.
            Entrant::Serial | Entrant::Rayon => self.0.run(who, pools)?,
            Entrant::HeistAsync => on_heist(Form::Async, pools, table)?,
            Entrant::HeistFiber => on_heist(Form::Fiber, pools, table)?,
            Entrant::HeistBlocking => on_heist(Form::Blocking, pools, table)?,
            Entrant::Threads => with_threads(table)?,
            Entrant::Tokio => on_tokio(pools, self.0.shared()),
        }
        self.0.dag().trace_back();
        Ok(())
    }

    fn check(&self) -> Result<(), String> {
        self.0.dag().check()
    }
}

/// The state of a row, the cells of which are computed from left to right.
struct Row<'a> {
    table: &'a Table,
    i: usize,
    /// The number of cells that have been computed.
    done: usize,
    /// The score of the last computed cell. `diagonal` is the score of the cell above the last computed cell.
    left: i32,
    diagonal: i32,
    best: End,
}

impl<'a> Row<'a> {
    fn new(table: &'a Table, i: usize) -> Self {
        Row {
            table,
            i,
            done: 0,
            left: 0,
            diagonal: 0,
            best: End::default(),
        }
    }

    /// Computes cells as long as `get` returns the score of the cell above, and passes each new score to `put`. Returns the number of
    /// the first cell for which `get` has no score, or `None` at the end of the row.
    #[inline(always)]
    fn advance(
        &mut self,
        get: impl Fn(usize) -> Option<i32>,
        mut put: impl FnMut(usize, i32),
    ) -> Option<usize> {
        let (table, i) = (self.table, self.i);
        let columns = table.b.len();
        let first = (i - 1) * columns;
        let (_, scores) = table.row(i, &(self.done + 1..columns + 1));
        let a = table.a[i - 1];
        let (mut left, mut diagonal, mut best) = (self.left, self.diagonal, self.best);
        let mut index = first + self.done;
        for (&b, here) in table.b[self.done..].iter().zip(scores) {
            let up = match index.checked_sub(columns) {
                None => 0,
                Some(above) => match get(above) {
                    Some(up) => up,
                    None => {
                        (self.left, self.diagonal, self.best) = (left, diagonal, best);
                        self.done = index - first;
                        return Some(above);
                    }
                },
            };
            left = cell(diagonal, up, left, a, b);
            diagonal = up;
            here.store(left, Relaxed);
            put(index, left);
            index += 1;
            if left > best.score {
                let j = index - first;
                best = End { score: left, i, j };
            }
        }
        table.best[first].store(table.pack(best), Relaxed);
        None
    }
}

/// The state of the task of a row.
struct Part<'a> {
    row: Row<'a>,
    cells: &'a IStructure<i32>,
    own: CellWriter<i32>,
}

impl Part<'_> {
    /// Computes cells until it reaches a cell for which the cell above has not been computed. Returns the number of this cell, or `None` at
    /// the end of the row.
    fn advance(&mut self) -> Option<usize> {
        let get = |above| self.cells.try_get(above).copied();
        self.row
            .advance(get, |index, score| self.own.put(index, score))
    }

    async fn run_async(mut self) {
        while let Some(above) = self.advance() {
            self.cells.get_async(above).await;
        }
    }

    fn run(mut self) {
        while let Some(above) = self.advance() {
            self.cells.get(above);
        }
    }
}

fn on_heist(form: Form, pools: &Pools, table: &Table) -> Result<(), String> {
    let (rows, columns) = table.tiles();
    let (writer, cells) = i_structure(rows * columns);
    let cells = &cells;
    pools.on_heist(form, rows, |scope| {
        for (i, own) in (1..).zip(writer.chunks(columns)) {
            let row = Row::new(table, i);
            let part = Part { row, cells, own };
            match form {
                Form::Async => scope.spawn_async(part.run_async()),
                Form::Fiber => scope.spawn_fiber(move || part.run()),
                Form::Blocking => scope.spawn(move |_| part.run()),
            }
        }
    })
}

fn with_threads(table: &Table) -> Result<(), String> {
    let (rows, columns) = table.tiles();
    let cells: Vec<OnceLock<i32>> = (0..rows * columns).map(|_| OnceLock::new()).collect();
    let cells = &cells[..];
    on_threads((0..rows).map(|row| {
        let mut row = Row::new(table, row + 1);
        move || {
            let get = |above: usize| cells[above].get().copied();
            let put = |index: usize, score| cells[index].set(score).expect("put once");
            while let Some(above) = row.advance(get, put) {
                cells[above].wait();
            }
        }
    }))
}

fn on_tokio(pools: &Pools, table: &Arc<Table>) {
    let table = Arc::clone(table);
    pools.on_tokio(async move {
        let (rows, columns) = table.tiles();
        let cells: Arc<[SetOnce<i32>]> = (0..rows * columns).map(|_| SetOnce::new()).collect();
        let tasks: Vec<_> = (1..=rows)
            .map(|i| {
                let (table, cells) = (Arc::clone(&table), Arc::clone(&cells));
                tokio::spawn(async move {
                    let mut row = Row::new(&table, i);
                    let get = |above: usize| cells[above].get().copied();
                    let put = |index: usize, score| cells[index].set(score).expect("put once");
                    while let Some(above) = row.advance(get, put) {
                        cells[above].wait().await;
                    }
                })
            })
            .collect();
        for task in tasks {
            task.await.expect("no row panics");
        }
    });
}
