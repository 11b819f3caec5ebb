//! References to values. A value is at one place, but every place may have the reference.

use std::any::Any;
use std::collections::HashMap;
use std::fmt;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use serde::{Deserialize, Serialize};

use crate::World;
use crate::place::lock;

/// A reference to a value at one place. Any place may copy the reference and send it to other
/// places. Only the home of the value can read the value.
///
/// ```
/// use std::sync::atomic::{AtomicU64, Ordering};
/// use heist_places::{GlobalRef, Local, Task, World, register};
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Serialize, Deserialize)]
/// struct Add(GlobalRef<AtomicU64>, u64);
/// impl Task for Add {
///     type Output = ();
///     async fn run(self, world: World) {
///         self.0.get(&world).unwrap().fetch_add(self.1, Ordering::Relaxed);
///     }
/// }
/// register!(Add);
///
/// Local::new(2).run(|world| {
///     if world.here() == 0 {
///         let sum = world.global_ref(AtomicU64::new(0));
///         world.finish(|f| f.async_at(0, Add(sum, 5))).wait().unwrap();
///         assert_eq!(sum.get(&world).unwrap().load(Ordering::Relaxed), 5);
///     }
/// });
/// ```
///
/// The value lives until a call of [`release`](GlobalRef::release), or until its home ends.
#[derive(Serialize, Deserialize)]
#[serde(bound = "")]
pub struct GlobalRef<T> {
    home: usize,
    number: u64,
    #[serde(skip)]
    of: PhantomData<fn() -> T>,
}

impl<T> Clone for GlobalRef<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for GlobalRef<T> {}

impl<T> PartialEq for GlobalRef<T> {
    fn eq(&self, other: &Self) -> bool {
        (self.home, self.number) == (other.home, other.number)
    }
}

impl<T> Eq for GlobalRef<T> {}

impl<T> fmt::Debug for GlobalRef<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "GlobalRef({} at place {})", self.number, self.home)
    }
}

/// The reason why [`GlobalRef::get`] returns no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RefError {
    /// The value is at another place.
    Elsewhere {
        /// The home of the value.
        home: usize,
        /// The place that called `get`.
        here: usize,
    },
    /// The value has been released.
    Released,
}

impl fmt::Display for RefError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RefError::Elsewhere { home, here } => {
                write!(
                    f,
                    "only place {home} can look at this value, not place {here}"
                )
            }
            RefError::Released => f.write_str("this value has been released"),
        }
    }
}

impl std::error::Error for RefError {}

/// The values of one place to which references can refer.
#[derive(Default)]
pub(crate) struct Objects {
    next: AtomicU64,
    values: Mutex<HashMap<u64, Arc<dyn Any + Send + Sync>>>,
}

impl Objects {
    pub(crate) fn add<T: Any + Send + Sync>(&self, here: usize, value: T) -> GlobalRef<T> {
        // Relaxed: the number orders no other memory accesses.
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        lock(&self.values).insert(number, Arc::new(value));
        GlobalRef {
            home: here,
            number,
            of: PhantomData,
        }
    }
}

impl<T: Any + Send + Sync> GlobalRef<T> {
    /// Returns the place that has the value.
    #[must_use]
    pub fn home(&self) -> usize {
        self.home
    }

    /// Returns the value.
    ///
    /// # Errors
    /// Returns an error if this place is not the value's home, or if the value has been released.
    pub fn get(&self, world: &World) -> Result<Arc<T>, RefError> {
        let value = {
            let values = lock(&self.objects(world)?.values);
            values.get(&self.number).cloned()
        };
        value
            .and_then(|value| value.downcast().ok())
            .ok_or(RefError::Released)
    }

    /// Takes the value out of the table of its home, so that later calls of [`get`](GlobalRef::get) fail.
    ///
    /// # Errors
    /// Returns the same errors as [`get`](GlobalRef::get).
    pub fn release(&self, world: &World) -> Result<Arc<T>, RefError> {
        let value = lock(&self.objects(world)?.values).remove(&self.number);
        value
            .and_then(|value| value.downcast().ok())
            .ok_or(RefError::Released)
    }

    fn objects<'w>(&self, world: &'w World) -> Result<&'w Objects, RefError> {
        let place = world.place();
        if place.here == self.home {
            Ok(&place.objects)
        } else {
            Err(RefError::Elsewhere {
                home: self.home,
                here: place.here,
            })
        }
    }
}
