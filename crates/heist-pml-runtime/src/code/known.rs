//! The spots of the programs in memory.

/// The spots of a program in memory.
#[derive(Debug)]
pub struct Known {
    /// The number of the program's first spot, minus 1.
    pub before: u32,
    /// The start of the addresses that stand for the program's spots, one address for each spot.
    pub spots: usize,
    /// Number of the addresses that stand for spots.
    pub count: usize,
    /// The encoded [`Places`](crate::code::places::Places) of the program.
    pub places: &'static [u8],
}
