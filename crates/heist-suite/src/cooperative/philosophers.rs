//! The dining philosophers. Each philosopher needs the forks on both sides for a meal. Every philosopher takes the fork with the lower
//! number first, so philosophers never wait in a circle.

use std::future::poll_fn;
use std::sync::{Arc, Mutex};
use std::task::Poll;
use std::thread;

use tokio::task::JoinHandle;

use super::pools::{Form, on_threads};
use super::{Entrant, Entry, Input, Instance, MOST_THREADS, Pools};
use crate::bounds::within;
use crate::noise::word;

pub(super) const PROGRAM: Entry = Entry {
    name: "philosophers",
    about: "dining philosophers, a task for each, 50 meals: locks held while their owner gives way",
    source: "Dijkstra, Hierarchical Ordering of Sequential Processes (1971)",
    entrants: Entrant::WAITING,
    inputs: &[Input::Generated],
    prepare: |_, size, _| {
        let most = MOST_THREADS as u64;
        let count = within("the number of philosophers", size.pick(100, 1000), 2..=most)?;
        Ok(Box::new(Table {
            count,
            forks: Vec::new(),
        }))
    },
};

const MEALS: u64 = 50;

/// The use of a fork: the number of meals, and a sum that shows which philosophers ate these meals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fork {
    /// The number of meals eaten with this fork.
    pub meals: u64,
    /// The sum of the marks of the meals eaten with this fork.
    pub marks: u64,
}

/// Returns the mark of a philosopher's meal: a random word.
fn mark(philosopher: usize, meal: u64) -> u64 {
    word(philosopher as u64, meal)
}

impl Fork {
    /// Returns the state of the fork after a meal. The caller reads the old state before the meal, and writes the new state after it.
    /// So if two philosophers held a fork at the same time, one of their meals would be lost.
    fn after(self, philosopher: usize, meal: u64) -> Fork {
        Fork {
            meals: self.meals + 1,
            marks: self.marks.wrapping_add(mark(philosopher, meal)),
        }
    }
}

/// Returns the numbers of the two forks next to a philosopher, the lower number first.
fn beside(philosopher: usize, count: usize) -> (usize, usize) {
    let (one, other) = (philosopher, (philosopher + 1) % count);
    (one.min(other), one.max(other))
}

struct Table {
    count: usize,
    forks: Vec<Fork>,
}

fn serial(count: usize) -> Vec<Fork> {
    let mut forks = vec![Fork::default(); count];
    for meal in 0..MEALS {
        for philosopher in 0..count {
            let (low, high) = beside(philosopher, count);
            forks[low] = forks[low].after(philosopher, meal);
            forks[high] = forks[high].after(philosopher, meal);
        }
    }
    forks
}

fn threads(count: usize) -> Result<Vec<Fork>, String> {
    let forks: Vec<Mutex<Fork>> = (0..count).map(|_| Mutex::default()).collect();
    on_threads((0..count).map(|philosopher| {
        let (low, high) = beside(philosopher, count);
        let (low, high) = (&forks[low], &forks[high]);
        move || {
            for meal in 0..MEALS {
                let mut low = low.lock().expect("no panic under the lock");
                let mut high = high.lock().expect("no panic under the lock");
                let after = (low.after(philosopher, meal), high.after(philosopher, meal));
                thread::yield_now();
                (*low, *high) = after;
            }
        }
    }))?;
    let forks = forks.into_iter();
    Ok(forks
        .map(|fork| fork.into_inner().expect("no panic under the lock"))
        .collect())
}

async fn tasks(count: usize) -> Vec<Fork> {
    let forks: Arc<[tokio::sync::Mutex<Fork>]> =
        (0..count).map(|_| tokio::sync::Mutex::default()).collect();
    let tasks: Vec<JoinHandle<()>> = (0..count)
        .map(|philosopher| {
            let forks = Arc::clone(&forks);
            tokio::spawn(async move {
                let (low, high) = beside(philosopher, count);
                for meal in 0..MEALS {
                    let mut low = forks[low].lock().await;
                    let mut high = forks[high].lock().await;
                    let after = (low.after(philosopher, meal), high.after(philosopher, meal));
                    tokio::task::yield_now().await;
                    (*low, *high) = after;
                }
            })
        })
        .collect();
    for task in tasks {
        task.await.expect("eating does not panic");
    }
    let mut used = Vec::with_capacity(count);
    for fork in &*forks {
        used.push(*fork.lock().await);
    }
    used
}

/// Yields to other tasks: the future is pending once.
async fn give_way() {
    let mut given = false;
    poll_fn(|context| {
        if std::mem::replace(&mut given, true) {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

fn heist(form: Form, pools: &Pools, count: usize) -> Result<Vec<Fork>, String> {
    let forks: Vec<heist::sync::Mutex<Fork>> = (0..count)
        .map(|_| heist::sync::Mutex::new(Fork::default()))
        .collect();
    let forks = &forks[..];
    pools.on_heist(form, count, |scope| {
        for philosopher in 0..count {
            let (low, high) = beside(philosopher, count);
            let (low, high) = (&forks[low], &forks[high]);
            let eat = move |give_way: fn()| {
                for meal in 0..MEALS {
                    let (mut low, mut high) = (low.lock(), high.lock());
                    let after = (low.after(philosopher, meal), high.after(philosopher, meal));
                    give_way();
                    (*low, *high) = after;
                }
            };
            match form {
                Form::Async => scope.spawn_async(async move {
                    for meal in 0..MEALS {
                        let mut low = low.lock_async().await;
                        let mut high = high.lock_async().await;
                        let after = (low.after(philosopher, meal), high.after(philosopher, meal));
                        give_way().await;
                        (*low, *high) = after;
                    }
                }),
                Form::Fiber => scope.spawn_fiber(move || eat(|| heist::block_on(give_way()))),
                // A blocking task holds its thread, so the thread yields.
                Form::Blocking => scope.spawn(move |_| eat(thread::yield_now)),
            }
        }
    })?;
    Ok(forks.iter().map(|fork| *fork.lock()).collect())
}

impl Instance for Table {
    fn params(&self) -> String {
        format!("philosophers={} meals={MEALS}", self.count)
    }

    fn reset(&mut self) {
        self.forks.clear();
    }

    fn run(&mut self, who: Entrant, pools: &Pools) -> Result<(), String> {
        self.forks = match who {
            Entrant::Serial => serial(self.count),
            Entrant::HeistAsync => heist(Form::Async, pools, self.count)?,
            Entrant::HeistFiber => heist(Form::Fiber, pools, self.count)?,
            Entrant::HeistBlocking => heist(Form::Blocking, pools, self.count)?,
            Entrant::Threads => threads(self.count)?,
            Entrant::Tokio => pools.on_tokio(tasks(self.count)),
            Entrant::Rayon => return Err("rayon: its tasks cannot wait for forks".to_owned()),
        };
        Ok(())
    }

    fn check(&self) -> Result<(), String> {
        check(self.count, &self.forks)
    }
}

/// Checks that each of `count` forks was used for all meals of the two philosophers next to it.
///
/// # Errors
/// Returns a one-line error that names a fork whose use is wrong.
pub fn check(count: usize, forks: &[Fork]) -> Result<(), String> {
    if forks.len() != count {
        return Err(format!("{} forks for {count} philosophers", forks.len()));
    }
    for (number, fork) in forks.iter().enumerate() {
        if fork.meals != 2 * MEALS {
            return Err(format!(
                "fork {number} has been used for {} meals, not {}",
                fork.meals,
                2 * MEALS
            ));
        }
        let users = [number, (number + count - 1) % count];
        let marks = users
            .iter()
            .flat_map(|&user| (0..MEALS).map(move |meal| mark(user, meal)));
        if fork.marks != marks.fold(0, u64::wrapping_add) {
            return Err(format!(
                "fork {number} has been used for other meals than its own"
            ));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lost_meal_shows() {
        let right = serial(5);
        assert_eq!(check(5, &right), Ok(()));
        let mut fewer = right.clone();
        fewer[3].meals -= 1;
        let error = check(5, &fewer).unwrap_err();
        assert_eq!(error, "fork 3 has been used for 99 meals, not 100");
        let mut swapped = right.clone();
        swapped.swap(0, 1);
        let error = check(5, &swapped).unwrap_err();
        assert_eq!(error, "fork 0 has been used for other meals than its own");
        let error = check(5, &right[1..]).unwrap_err();
        assert_eq!(error, "4 forks for 5 philosophers");
    }
}
