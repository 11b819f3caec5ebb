//! Several sequences side by side, as tuples.

use super::{Map, Zip};
use crate::par::prelude::*;

/// A tuple of sequences is a sequence of tuples, as long as the shortest: the thesis' maps of any arity.
macro_rules! tuple {
    ($nested:ty, $of:ty, $zip:expr, $flat:expr, $($name:ident $item:ident),*) => {
        impl<$($name),*> IntoPar for ($($name),*,)
        where
            $($name: IntoPar, $name::Par: Indexed),*
        {
            type Item = ($($name::Item),*,);
            type Par = Map<$nested, fn($of) -> ($($name::Item),*,)>;

            fn into_par(self) -> Self::Par {
                let ($($item),*,) = self;
                let flat: fn($of) -> ($($name::Item),*,) = $flat;
                $zip.map(flat)
            }
        }
    };
}

impl<A, B> IntoPar for (A, B)
where
    A: IntoPar,
    B: IntoPar,
    A::Par: Indexed,
    B::Par: Indexed,
{
    type Item = (A::Item, B::Item);
    type Par = Zip<A::Par, B::Par>;

    #[inline]
    fn into_par(self) -> Self::Par {
        self.0.into_par().zip(self.1)
    }
}

tuple!(
    Zip<Zip<A::Par, B::Par>, C::Par>,
    ((A::Item, B::Item), C::Item),
    a.into_par().zip(b).zip(c),
    |((a, b), c)| (a, b, c),
    A a, B b, C c
);
tuple!(
    Zip<Zip<A::Par, B::Par>, Zip<C::Par, D::Par>>,
    ((A::Item, B::Item), (C::Item, D::Item)),
    a.into_par().zip(b).zip(c.into_par().zip(d)),
    |((a, b), (c, d))| (a, b, c, d),
    A a, B b, C c, D d
);
