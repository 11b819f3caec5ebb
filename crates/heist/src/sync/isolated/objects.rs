//! The objects that a section can name.

use super::{Isolated, Lock};

mod private {
    pub trait Sealed {}
}

/// The objects that a call of [`isolated_on`](super::isolated_on) names: a reference to an [`Isolated`], a tuple of 2 to 6 such
/// references, or a `Vec` of them.
pub trait Objects: private::Sealed {
    /// Exclusive references to the values: a single reference, a tuple or a `Vec`. The references end with the section.
    type Values<'v>;

    #[doc(hidden)]
    fn locks(&self) -> Vec<Lock<'_>>;

    /// Returns references to the values of all objects.
    ///
    /// # Safety
    /// As long as the references live, the caller must hold the permits of all objects. All objects must be different.
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

    /// Returns a reference to the value.
    ///
    /// # Safety
    /// As long as the reference lives, the caller must hold the object's permit, and must keep the object alive.
    unsafe fn value<'v>(&self) -> &'v mut T {
        // SAFETY: by this function's contract the caller has the only permit of the object, and the object exists.
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
        // SAFETY: the contract of `values` includes the contract of `value`.
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
        // SAFETY: the contract of `values` includes the contract of `value` for each object.
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
                // SAFETY: the contract of `values` includes the contract of `value` for each object.
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
