//! The tasks that places send each other to balance a bag.

use std::marker::PhantomData;

use serde::{Deserialize, Serialize};

use super::Bag;
use super::table::Key;
use crate::caught::Caught;
use crate::wire::append;
use crate::{Arrival, PlaceError, Task, World};

/// A task that makes a place take part until the balancing is over.
#[derive(Debug, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Serve<B> {
    key: Key,
    of: PhantomData<fn() -> B>,
}

impl<B> Serve<B> {
    pub(super) fn new(key: Key) -> Self {
        Serve {
            key,
            of: PhantomData,
        }
    }
}

impl<B: Bag> Task for Serve<B> {
    type Output = ();

    async fn run(self, world: World) {
        let key = self.key;
        let instance = world.place().balances.instance::<B>(key);
        let workers: Vec<_> = (0..world.workers())
            .map(|_| {
                let work = instance.clone().work(world.clone(), key);
                let world = world.clone();
                heist::spawn_async(async move {
                    if let Err(payload) = Caught::new(work).await {
                        let error = PlaceError::of_panic(world.here(), &*payload);
                        let home = key.home;
                        let _ = world.at(home, Fail::<B>::new(key, error)).await;
                    }
                })
            })
            .collect();
        // This call returns when the balancing is over, or when the home has died.
        let _ = world.at(key.home, Until::<B>::new(key)).await;
        instance.end();
        for worker in workers {
            worker.await;
        }
        world.place().balances.forget(key);
    }
}

/// A task that waits at the home until the balancing is over.
#[derive(Debug, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Until<B> {
    key: Key,
    of: PhantomData<fn() -> B>,
}

impl<B> Until<B> {
    fn new(key: Key) -> Self {
        Until {
            key,
            of: PhantomData,
        }
    }
}

impl<B: Bag> Task for Until<B> {
    type Output = ();

    async fn run(self, world: World) {
        world.place().balances.instance::<B>(self.key).watch().await;
    }
}

/// A task that tells the home that a function of the bag has panicked.
#[derive(Debug, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Fail<B> {
    key: Key,
    error: PlaceError,
    of: PhantomData<fn() -> B>,
}

impl<B> Fail<B> {
    pub(super) fn new(key: Key, error: PlaceError) -> Self {
        Fail {
            key,
            error,
            of: PhantomData,
        }
    }
}

impl<B: Bag> Task for Fail<B> {
    type Output = ();

    async fn run(self, world: World) {
        world
            .place()
            .balances
            .instance::<B>(self.key)
            .fail(self.error);
    }
}

/// A task that requests a bag for the place `thief`. The bag comes as a [`Gift`]. If the answer is true, the victim has sent the bag before
/// the answer. The answer to a request along a lifeline is always false, and the bag comes later.
#[derive(Debug, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Steal<B> {
    key: Key,
    thief: usize,
    lifeline: bool,
    of: PhantomData<fn() -> B>,
}

impl<B> Steal<B> {
    pub(super) fn new(key: Key, thief: usize, lifeline: bool) -> Self {
        Steal {
            key,
            thief,
            lifeline,
            of: PhantomData,
        }
    }
}

impl<B: Bag> Task for Steal<B> {
    type Output = bool;
    const ARRIVAL: Arrival = Arrival::Immediate;

    async fn run(self, world: World) -> bool {
        let instance = world.place().balances.instance::<B>(self.key);
        instance.ask(self.thief, self.lifeline).await
    }
}

/// A task that gives a bag to a place. The task returns the bag with its results, or `None` if the balancing is over.
#[derive(Debug, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Gift<B> {
    key: Key,
    giver: usize,
    bag: Vec<u8>,
    of: PhantomData<fn() -> B>,
}

impl<B> Gift<B> {
    pub(super) fn new(key: Key, giver: usize, bag: Vec<u8>) -> Self {
        Gift {
            key,
            giver,
            bag,
            of: PhantomData,
        }
    }
}

impl<B: Bag> Task for Gift<B> {
    type Output = Option<Vec<u8>>;
    const ARRIVAL: Arrival = Arrival::Immediate;

    async fn run(self, world: World) -> Option<Vec<u8>> {
        let instance = world.place().balances.instance::<B>(self.key);
        let bag = postcard::from_bytes(&self.bag).ok()?;
        let results = instance.accept(self.giver, bag)?.await;
        Some(append(&results?, Vec::new()))
    }
}
