//! Combines several sequences into a sequence of tuples.

use super::{Map, Zip};
use crate::par::prelude::*;

/// Implements [`IntoPar`] for a tuple of sequences. The result is a sequence of tuples, which is as long as the shortest of the
/// sequences. Rainey's thesis maps functions over any number of sequences in this way.
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

/// Calls `tuple` for a tuple of five or more sequences. The macro zips the first two sequences, and then zips each further sequence to the
/// zip of all previous sequences.
macro_rules! long_tuple {
    ($first:ident $first_item:ident, $($more:ident $item:ident),*) => {
        long_tuple!(
            [$first::Par, $first::Item, $first_item.into_par(), $first_item]
            $($more $item),*; $first $first_item, $($more $item),*
        );
    };
    (
        [$nested:ty, $of:ty, $zip:expr, $pattern:pat]
        $next:ident $next_item:ident $(, $more:ident $item:ident)*; $($all:tt)*
    ) => {
        long_tuple!(
            [Zip<$nested, $next::Par>, ($of, $next::Item), $zip.zip($next_item), ($pattern, $next_item)]
            $($more $item),*; $($all)*
        );
    };
    ([$nested:ty, $of:ty, $zip:expr, $pattern:pat]; $($name:ident $item:ident),*) => {
        tuple!($nested, $of, $zip, |$pattern| ($($item),*), $($name $item),*);
    };
}
long_tuple!(A a, B b, C c, D d, E e);
long_tuple!(A a, B b, C c, D d, E e, F f);
long_tuple!(A a, B b, C c, D d, E e, F f, G g);
long_tuple!(A a, B b, C c, D d, E e, F f, G g, H h);
long_tuple!(A a, B b, C c, D d, E e, F f, G g, H h, I i);
long_tuple!(A a, B b, C c, D d, E e, F f, G g, H h, I i, J j);
long_tuple!(A a, B b, C c, D d, E e, F f, G g, H h, I i, J j, K k);
long_tuple!(A a, B b, C c, D d, E e, F f, G g, H h, I i, J j, K k, L l);
