//! Serializes ropes as sequences. The serialized form contains neither the boundaries of leaves nor the leaf size.

use super::{Rope, RopeBuilder};
use serde::de::{Deserialize, Deserializer, SeqAccess, Visitor};
use serde::ser::{Serialize, Serializer};
use std::fmt;
use std::marker::PhantomData;

impl<T: Serialize> Serialize for Rope<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self)
    }
}

struct Items<T>(PhantomData<fn() -> T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for Items<T> {
    type Value = Rope<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a sequence")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Rope<T>, A::Error> {
        let mut builder = RopeBuilder::new();
        while let Some(item) = items.next_element()? {
            builder.push(item);
        }
        Ok(builder.finish())
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Rope<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(Items(PhantomData))
    }
}
