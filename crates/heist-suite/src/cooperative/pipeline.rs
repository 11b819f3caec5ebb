//! A pipeline: items pass through stages, and channels with room for a few items connect the stages.

use std::sync::mpsc::sync_channel;
use std::thread;

use heist::sync::{Receiver, Sender, channel};
use tokio::sync::mpsc;

use super::pools::Form;
use super::{Entrant, Entry, Input, Instance, Pools};
use crate::bounds::within;
use crate::noise::word;

pub(super) const PROGRAM: Entry = Entry {
    name: "pipeline",
    about: "items go through eight stages, a task for each, connected by channels of 16",
    source: "channels with a bound: a stage waits for the next one, too",
    entrants: Entrant::WAITING,
    inputs: &[Input::Generated],
    prepare: |_, size, _| {
        let items = within(
            "the number of items",
            size.pick(10_000, 1_000_000),
            1..=1 << 32,
        )?;
        Ok(Box::new(Pipeline {
            items: items as u64,
            result: None,
        }))
    },
};

const STAGES: u64 = 8;
const CAPACITY: usize = 16;

struct Pipeline {
    items: u64,
    result: Option<u64>,
}

/// Returns an item of the input of the first stage.
#[inline]
fn item(number: u64) -> u64 {
    word(31, number)
}

/// Returns the result of a stage for an item. The result depends on the results of all earlier items, so the order of items matters.
#[inline]
fn work(stage: u64, memory: &mut u64, item: u64) -> u64 {
    *memory = word(*memory ^ item, stage);
    *memory
}

/// Adds an item to the digest when it leaves the last stage.
#[inline]
fn keep(sum: u64, item: u64) -> u64 {
    word(sum, item)
}

/// Returns the result of a serial run, in which each item passes through all stages before the next item begins.
fn serial(items: u64) -> u64 {
    let mut memories = [0; STAGES as usize];
    (0..items).fold(0, |sum, number| {
        let stages = (0..).zip(&mut memories);
        let out = stages.fold(item(number), |item, (stage, memory)| {
            work(stage, memory, item)
        });
        keep(sum, out)
    })
}

fn threads(items: u64) -> Result<u64, String> {
    thread::scope(|scope| {
        let spawn = |name: &str, body: Box<dyn FnOnce() + Send>| {
            let thread = thread::Builder::new().name(name.to_owned());
            let thread = thread.spawn_scoped(scope, body);
            thread
                .map(drop)
                .map_err(|error| format!("threads: {error}"))
        };
        let (first, mut from) = sync_channel(CAPACITY);
        // A send fails only if the receiving stage has ended early. Stages end early only if the system could not start the thread of a
        // later stage.
        spawn(
            "source",
            Box::new(move || {
                let _ = (0..items).try_for_each(|number| first.send(item(number)));
            }),
        )?;
        for stage in 0..STAGES {
            let (to, next) = sync_channel(CAPACITY);
            let before = std::mem::replace(&mut from, next);
            spawn(
                "stage",
                Box::new(move || {
                    let mut memory = 0;
                    let _ = before
                        .into_iter()
                        .try_for_each(|item| to.send(work(stage, &mut memory, item)));
                }),
            )?;
        }
        Ok(from.into_iter().fold(0, keep))
    })
}

async fn tasks(items: u64) -> u64 {
    let (first, mut from) = mpsc::channel(CAPACITY);
    tokio::spawn(async move {
        for number in 0..items {
            if first.send(item(number)).await.is_err() {
                return;
            }
        }
    });
    for stage in 0..STAGES {
        let (to, next) = mpsc::channel(CAPACITY);
        let mut before = std::mem::replace(&mut from, next);
        tokio::spawn(async move {
            let mut memory = 0;
            while let Some(item) = before.recv().await {
                if to.send(work(stage, &mut memory, item)).await.is_err() {
                    return;
                }
            }
        });
    }
    let mut sum = 0;
    while let Some(item) = from.recv().await {
        sum = keep(sum, item);
    }
    sum
}

fn heist(form: Form, pools: &Pools, items: u64) -> Result<u64, String> {
    let mut sum = 0;
    let kept = &mut sum;
    pools.on_heist(form, STAGES as usize + 2, move |scope| match form {
        Form::Async => {
            let (first, mut from) = channel(CAPACITY);
            scope.spawn_async(source_async(items, first));
            for stage in 0..STAGES {
                let (to, next) = channel(CAPACITY);
                let before = std::mem::replace(&mut from, next);
                scope.spawn_async(stage_async(stage, before, to));
            }
            scope.spawn_async(sink_async(from, kept));
        }
        Form::Fiber => closures(items, kept)
            .into_iter()
            .for_each(|task| scope.spawn_fiber(task)),
        Form::Blocking => closures(items, kept)
            .into_iter()
            .for_each(|task| scope.spawn(move |_| task())),
    })?;
    Ok(sum)
}

async fn source_async(items: u64, first: Sender<u64>) {
    for number in 0..items {
        if first.send_async(item(number)).await.is_err() {
            return;
        }
    }
}

async fn stage_async(stage: u64, before: Receiver<u64>, to: Sender<u64>) {
    let mut memory = 0;
    while let Ok(item) = before.recv_async().await {
        if to.send_async(work(stage, &mut memory, item)).await.is_err() {
            return;
        }
    }
}

async fn sink_async(last: Receiver<u64>, kept: &mut u64) {
    while let Ok(item) = last.recv_async().await {
        *kept = keep(*kept, item);
    }
}

/// Returns the pipeline as closures: the source, the stages, and a sink that keeps the items of the last stage.
fn closures(items: u64, kept: &mut u64) -> Vec<Box<dyn FnOnce() + Send + '_>> {
    let (first, mut from) = channel(CAPACITY);
    // A send fails only if the receiving stage has ended early. Stages end early only if a later stage could not begin.
    let mut tasks: Vec<Box<dyn FnOnce() + Send + '_>> = vec![Box::new(move || {
        let _ = (0..items).try_for_each(|number| first.send(item(number)));
    })];
    for stage in 0..STAGES {
        let (to, next) = channel(CAPACITY);
        let before = std::mem::replace(&mut from, next);
        tasks.push(Box::new(move || {
            let mut memory = 0;
            let _ = before
                .iter()
                .try_for_each(|item| to.send(work(stage, &mut memory, item)));
        }));
    }
    tasks.push(Box::new(move || *kept = from.iter().fold(0, keep)));
    tasks
}

impl Instance for Pipeline {
    fn params(&self) -> String {
        format!("items={} stages={STAGES} capacity={CAPACITY}", self.items)
    }

    fn reset(&mut self) {
        self.result = None;
    }

    fn run(&mut self, who: Entrant, pools: &Pools) -> Result<(), String> {
        self.result = Some(match who {
            Entrant::Serial => serial(self.items),
            Entrant::HeistAsync => heist(Form::Async, pools, self.items)?,
            Entrant::HeistFiber => heist(Form::Fiber, pools, self.items)?,
            Entrant::HeistBlocking => heist(Form::Blocking, pools, self.items)?,
            Entrant::Threads => threads(self.items)?,
            Entrant::Tokio => pools.on_tokio(tasks(self.items)),
            Entrant::Rayon => return Err("rayon: its tasks cannot wait for items".to_owned()),
        });
        Ok(())
    }

    fn check(&self) -> Result<(), String> {
        check(self.items, self.result.ok_or("there is no result")?)
    }
}

/// Checks the result of a run with `items` items. The check runs each stage over all items before the next stage begins.
///
/// # Errors
/// Returns a one-line error that says what is wrong.
pub fn check(items: u64, result: u64) -> Result<(), String> {
    let mut all: Vec<u64> = (0..items).map(item).collect();
    for stage in 0..STAGES {
        let mut memory = 0;
        all.iter_mut()
            .for_each(|item| *item = work(stage, &mut memory, *item));
    }
    let must = all.into_iter().fold(0, keep);
    if result == must {
        Ok(())
    } else {
        Err(format!("{items} items give {must:#x}, not {result:#x}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_result_shows() {
        let right = serial(1000);
        assert_eq!(check(1000, right), Ok(()));
        assert_ne!(serial(999), right);
        let error = check(1000, serial(999)).unwrap_err();
        assert!(error.starts_with("1000 items give "), "{error}");
    }

    #[test]
    fn order_matters() {
        let mut memory = 0;
        let one_way = [1, 2].map(|item| work(0, &mut memory, item));
        memory = 0;
        let other_way = [2, 1].map(|item| work(0, &mut memory, item));
        assert_ne!(one_way[1], other_way[1]);
        assert_ne!(keep(keep(0, 1), 2), keep(keep(0, 2), 1));
    }
}
