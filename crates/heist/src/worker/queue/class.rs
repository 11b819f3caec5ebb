//! The classes of jobs.

/// A class of jobs. The variants are ordered from the highest class to the lowest. See [`Priority`](crate::Priority).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[repr(u8)]
pub(crate) enum Class {
    Latency,
    Normal,
    Background,
}

impl Class {
    pub(in crate::worker) const ALL: [Class; 3] =
        [Class::Latency, Class::Normal, Class::Background];

    pub(in crate::worker) fn from_byte(byte: u8) -> Self {
        Class::ALL[usize::from(byte)]
    }
}
