//! Task types, which are registered so that another process can decode and run their values.

use std::any::{TypeId, type_name};
use std::collections::HashMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::OnceLock;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::World;
use crate::wire::append;

/// The way in which a place starts a task that has arrived.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Arrival {
    /// The task goes into the pool's injector. A worker runs it after the worker's current task has ended.
    #[default]
    Pool,
    /// The thread that receives the task runs it immediately, up to the task's first wait. This thread is the place's progress thread, or a
    /// worker without work. A worker runs the remaining part of the task. Choose this way for tasks of a few microseconds. Such a task must
    /// not block its thread, because the place receives no other message in that time. Up to its first wait, the task may run on the
    /// progress thread, and forks of `heist` then go to Heist's global pool.
    Immediate,
}

/// Work that can be sent to another place.
///
/// The fields of the value are the arguments. [`register!`](crate::register) registers the type.
///
/// Arguments and results are encoded in a format that is not self-describing (postcard). Types with serde's attributes `untagged`,
/// `flatten` or `skip_serializing_if` cannot be decoded from this format. Values of these types work at the sender's own place, but at
/// other places they cause the error [`Unreadable`](crate::PlaceError::Unreadable). A panic of `Deserialize` is a panic of the task.
///
/// ```
/// use heist_places::{Local, Task, World, register};
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Serialize, Deserialize)]
/// struct Square(u64);
///
/// impl Task for Square {
///     type Output = u64;
///     async fn run(self, _: World) -> u64 {
///         self.0 * self.0
///     }
/// }
/// register!(Square);
///
/// let outcomes = Local::new(3).run(|world| {
///     let next = (world.here() + 1) % world.places();
///     world.at(next, Square(world.here() as u64)).wait()
/// });
/// assert_eq!(outcomes[2], Ok(Ok(4)));
/// ```
pub trait Task: Serialize + DeserializeOwned + Send + 'static {
    /// The type of the task's result.
    type Output: Serialize + DeserializeOwned + Send + 'static;

    /// The way in which the task starts after its arrival from another place.
    const ARRIVAL: Arrival = Arrival::Pool;

    /// Does the work of the task. Tasks that this task starts through `world` belong to the same
    /// finish.
    fn run(self, world: World) -> impl Future<Output = Self::Output> + Send;
}

/// The code of a decoded task: a future for the encoded result, which is empty if no caller needs it.
pub(crate) type Job = Pin<Box<dyn Future<Output = Vec<u8>> + Send>>;

/// A function that decodes a task and returns its future. The last argument says whether a caller needs the result.
type Start = fn(World, &[u8], bool) -> Result<Job, postcard::Error>;

/// A registered task type. [`register!`](crate::register) creates it.
#[derive(Debug)]
pub struct Entry {
    name: fn() -> &'static str,
    id: fn() -> TypeId,
    arrival: Arrival,
    start: Start,
}

inventory::collect!(Entry);

impl Entry {
    /// Returns the entry of a task type, for [`register!`](crate::register).
    #[doc(hidden)]
    #[must_use]
    pub const fn of<T: Task>() -> Self {
        Entry {
            name: type_name::<T>,
            id: TypeId::of::<T>,
            arrival: T::ARRIVAL,
            start: start::<T>,
        }
    }
}

fn start<T: Task>(world: World, bytes: &[u8], wanted: bool) -> Result<Job, postcard::Error> {
    let task: T = postcard::from_bytes(bytes)?;
    Ok(Box::pin(async move {
        let output = task.run(world).await;
        if wanted {
            append(&output, Vec::new())
        } else {
            Vec::new()
        }
    }))
}

/// Registers task types, so that all places of the program can decode and run their values.
///
/// If a program sends a generic type with several sets of type arguments, it must register the type once for each set.
///
/// ```
/// # use heist_places::{Task, World, register};
/// # use serde::{Deserialize, Serialize};
/// #[derive(Serialize, Deserialize)]
/// struct Hello;
/// impl Task for Hello {
///     type Output = String;
///     async fn run(self, world: World) -> String {
///         format!("hello from place {}", world.here())
///     }
/// }
/// register!(Hello);
/// ```
#[macro_export]
macro_rules! register {
    ($($task:ty),+ $(,)?) => {
        $($crate::inventory::submit! { $crate::Entry::of::<$task>() })+
    };
}

/// All registered task types, in an order that depends only on the program.
struct Registry {
    entries: Vec<&'static Entry>,
    numbers: HashMap<TypeId, u32>,
}

fn registry() -> &'static Registry {
    static REGISTRY: OnceLock<Registry> = OnceLock::new();
    REGISTRY.get_or_init(|| {
        let mut entries: Vec<&'static Entry> = inventory::iter::<Entry>().collect();
        entries.sort_by_key(|entry| (entry.name)());
        entries.dedup_by_key(|entry| (entry.id)());
        if let Some(pair) = entries
            .windows(2)
            .find(|pair| (pair[0].name)() == (pair[1].name)())
        {
            panic!(
                "heist-places: two task types have the name {}",
                (pair[0].name)()
            );
        }
        let numbered = entries.iter().zip(0..);
        let numbers = numbered
            .map(|(entry, number)| ((entry.id)(), number))
            .collect();
        Registry { entries, numbers }
    })
}

/// Assigns numbers to the task types, and checks that their names are different.
///
/// # Panics
/// Panics if two task types have the same name.
pub(crate) fn check() {
    registry();
}

/// Returns the number of a task type.
///
/// # Panics
/// Panics if the type is not registered.
pub(crate) fn number<T: Task>() -> u32 {
    match registry().numbers.get(&TypeId::of::<T>()) {
        Some(number) => *number,
        None => panic!(
            "heist-places: `{0}` is not registered: write `heist_places::register!({0});`",
            type_name::<T>()
        ),
    }
}

/// Returns the arrival and the start function of the task type with this number, or `None` if the number is unknown.
pub(crate) fn entry(number: u32) -> Option<(Arrival, Start)> {
    let entry = registry().entries.get(number as usize)?;
    Some((entry.arrival, entry.start))
}

/// Returns the name of the task type with this number.
pub(crate) fn name(number: u32) -> &'static str {
    registry()
        .entries
        .get(number as usize)
        .map_or("unknown", |entry| (entry.name)())
}
