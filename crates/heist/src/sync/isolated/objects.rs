//! Lists of objects that a section can name.

use super::{Isolated, Lock};

mod private {
    pub trait Sealed {}
}

/// An argument of [`isolated_on`](super::isolated_on): a reference to an [`Isolated`], a tuple of 2 to 6 of them,
/// or a `Vec`.
pub trait Objects: private::Sealed {
    /// Exclusive references to the values, in the same shape. They end with the section.
    type Values<'v>;

    #[doc(hidden)]
    fn locks(&self) -> Vec<Lock<'_>>;

    /// # Safety
    /// While the references live, the locks of all objects are held, and no two objects are the same.
    #[doc(hidden)]
    unsafe fn values<'v>(&self) -> Self::Values<'v>;
}

impl<T: ?Sized> Isolated<T> {
    fn lock(&self) -> Lock<'_> {
        Lock {
            id: self.id,
            free: &self.free,
        }
    }

    /// # Safety
    /// While the reference lives, the lock is held and the object exists.
    unsafe fn value<'v>(&self) -> &'v mut T {
        // SAFETY: by contract the lock is held, and the object exists.
        unsafe { &mut *self.value.get() }
    }
}

impl<T: ?Sized + 'static> private::Sealed for &Isolated<T> {}

impl<T: ?Sized + 'static> Objects for &Isolated<T> {
    type Values<'v> = &'v mut T;

    fn locks(&self) -> Vec<Lock<'_>> {
        vec![self.lock()]
    }

    unsafe fn values<'v>(&self) -> &'v mut T {
        // SAFETY: the caller keeps the contract of `values`.
        unsafe { self.value() }
    }
}

impl<T: ?Sized + 'static> private::Sealed for Vec<&Isolated<T>> {}

impl<T: ?Sized + 'static> Objects for Vec<&Isolated<T>> {
    type Values<'v> = Vec<&'v mut T>;

    fn locks(&self) -> Vec<Lock<'_>> {
        self.iter().map(|object| object.lock()).collect()
    }

    unsafe fn values<'v>(&self) -> Vec<&'v mut T> {
        // SAFETY: the caller keeps the contract of `values`.
        let values = self.iter().map(|object| unsafe { object.value() });
        values.collect()
    }
}

macro_rules! objects {
    ($($type:ident $place:tt),+) => {
        impl<$($type: ?Sized + 'static),+> private::Sealed for ($(&Isolated<$type>,)+) {}

        impl<$($type: ?Sized + 'static),+> Objects for ($(&Isolated<$type>,)+) {
            type Values<'v> = ($(&'v mut $type,)+);

            fn locks(&self) -> Vec<Lock<'_>> {
                vec![$(self.$place.lock()),+]
            }

            unsafe fn values<'v>(&self) -> Self::Values<'v> {
                // SAFETY: the caller keeps the contract of `values`.
                unsafe { ($(self.$place.value(),)+) }
            }
        }
    };
}

objects!(A 0, B 1);
objects!(A 0, B 1, C 2);
objects!(A 0, B 1, C 2, D 3);
objects!(A 0, B 1, C 2, D 3, E 4);
objects!(A 0, B 1, C 2, D 3, E 4, F 5);
