//! Arrays whose items are divided among all places.

use std::ops::Range;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::{PlaceError, World};

/// An array that is divided into blocks of almost equal length, one at each place.
///
/// Each place has its own block, and can use the block like any slice. [`heist::par`](mod@heist::par) divides the block among the place's
/// workers. The methods that can fail are collective: all places must call them in the same order.
///
/// ```
/// use heist::par::{Par, ToParMut};
/// use heist_places::{Local, PlaceArray};
///
/// let outcomes = Local::new(3).run(|world| {
///     let mut array = PlaceArray::new(&world, 10, |index| index as u64);
///     array.block_mut().par_mut().for_each(|item| *item *= 2);
///     array.gather(&world)
/// });
/// assert_eq!(outcomes[0], Ok(Ok(Some((0..10).map(|index| 2 * index).collect()))));
/// assert_eq!(outcomes[1], Ok(Ok(None)));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlaceArray<T> {
    length: usize,
    here: usize,
    places: usize,
    block: Vec<T>,
}

/// Returns the range of indices of a place's block.
fn range(length: usize, place: usize, places: usize) -> Range<usize> {
    // The product is computed in 128 bits, since it may be larger than an index.
    let bound = |place: usize| (length as u128 * place as u128 / places as u128) as usize;
    bound(place)..bound(place + 1)
}

impl<T> PlaceArray<T> {
    /// Creates this place's block of an array of length `length`. Calls `value` for each index of the block, in order.
    ///
    /// This function sends no messages: each place creates its own block.
    pub fn new(world: &World, length: usize, value: impl FnMut(usize) -> T) -> Self {
        let (here, places) = (world.here(), world.places());
        PlaceArray {
            length,
            here,
            places,
            block: range(length, here, places).map(value).collect(),
        }
    }

    /// Returns the length of the whole array.
    #[must_use]
    pub fn len(&self) -> usize {
        self.length
    }

    /// Returns true if the whole array has no items.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Returns the range of indices of this place's block.
    #[must_use]
    pub fn range(&self) -> Range<usize> {
        range(self.length, self.here, self.places)
    }

    /// Returns the place whose block contains the index.
    ///
    /// # Panics
    /// Panics if the array has no such index.
    #[must_use]
    pub fn place_of(&self, index: usize) -> usize {
        assert!(
            index < self.length,
            "index {index} of an array of length {}",
            self.length
        );
        let mut place = (index as u128 * self.places as u128 / self.length as u128) as usize;
        while range(self.length, place, self.places).end <= index {
            place += 1;
        }
        place
    }

    /// Returns this place's block.
    #[must_use]
    pub fn block(&self) -> &[T] {
        &self.block
    }

    /// Returns this place's block, mutably.
    #[must_use]
    pub fn block_mut(&mut self) -> &mut [T] {
        &mut self.block
    }
}

impl<T: Serialize + DeserializeOwned + Clone + Send + 'static> PlaceArray<T> {
    /// Concatenates all blocks at place 0. Place 0 gets the whole array, and the other places get `None`.
    ///
    /// # Errors
    /// Returns an error if a place has died or ended its part of the program.
    pub fn gather(&self, world: &World) -> Result<Option<Vec<T>>, PlaceError> {
        let blocks = world.gather(self.block.clone()).wait()?;
        Ok(blocks.map(|blocks| blocks.into_iter().flatten().collect()))
    }

    /// Divides an array of place 0 among all places. The function ignores the arguments of the other places.
    ///
    /// ```
    /// use heist_places::{Local, PlaceArray};
    /// let outcomes = Local::new(2).run(|world| {
    ///     let all = (world.here() == 0).then(|| vec!['a', 'b', 'c', 'd']);
    ///     PlaceArray::scatter(&world, all).unwrap().block().to_vec()
    /// });
    /// assert_eq!(outcomes[1], Ok(vec!['c', 'd']));
    /// ```
    ///
    /// Place 0 sends each other place only the block of that place.
    ///
    /// # Errors
    /// Returns an error if place 0 has died or ended.
    ///
    /// # Panics
    /// Panics at place 0 if `all` is `None`.
    pub fn scatter(world: &World, all: Option<Vec<T>>) -> Result<Self, PlaceError> {
        let (here, places) = (world.here(), world.places());
        let parts = (here == 0).then(|| {
            let Some(all) = all else {
                panic!("heist-places: place 0 scatters, so it has to give the array");
            };
            let length = all.len();
            let mut all = all.into_iter();
            let parts = (0..places).map(|place| {
                (
                    length,
                    all.by_ref()
                        .take(range(length, place, places).len())
                        .collect::<Vec<T>>(),
                )
            });
            parts.collect()
        });
        let (length, block) = world.scatter(parts).wait()?;
        Ok(PlaceArray {
            length,
            here,
            places,
            block,
        })
    }

    /// Exchanges the edges of all blocks: returns the `width` items before this block and the `width` items after it. A block near an end
    /// of the array has fewer neighbouring items.
    ///
    /// All places must pass the same `width`. If `width` is larger than a block, the items come from several places.
    ///
    /// ```
    /// use heist_places::{Local, PlaceArray};
    /// let outcomes = Local::new(3).run(|world| {
    ///     let array = PlaceArray::new(&world, 9, |index| index);
    ///     (array.halo(&world, 1).unwrap(), array.halo(&world, 4).unwrap())
    /// });
    /// assert_eq!(outcomes[0], Ok(((vec![], vec![3]), (vec![], vec![3, 4, 5, 6]))));
    /// assert_eq!(outcomes[1], Ok(((vec![2], vec![6]), (vec![0, 1, 2], vec![6, 7, 8]))));
    /// assert_eq!(outcomes[2], Ok(((vec![5], vec![]), (vec![2, 3, 4, 5], vec![]))));
    /// ```
    ///
    /// The exchange takes two messages for each pair of neighbours, and more if `width` is larger than a block.
    ///
    /// # Errors
    /// Returns an error if an item of the result is at a place that has died or ended its part of the
    /// program.
    pub fn halo(&self, world: &World, width: usize) -> Result<(Vec<T>, Vec<T>), PlaceError> {
        let (own, here) = (self.range(), self.here);
        let block = |place| range(self.length, place, self.places);
        // The number of items between this block and another block. Places exchange items if fewer than `width` items are between
        // their blocks.
        let gap = |place| {
            let block = block(place);
            if place < here {
                own.start - block.end
            } else {
                block.start - own.end
            }
        };
        let near = |place: &usize| gap(*place) < width;
        let before: Vec<usize> = (0..here).rev().take_while(near).collect();
        let behind = (here + 1..self.places).take_while(near);
        let near: Vec<usize> = before.into_iter().rev().chain(behind).collect();
        let edges = near.iter().map(|&place| {
            let length = self.block.len().min(width - gap(place));
            let edge = if place < here {
                &self.block[..length]
            } else {
                &self.block[self.block.len() - length..]
            };
            (place, edge.to_vec())
        });
        // A place without items sends nothing.
        let edges = edges.filter(|(_, edge)| !edge.is_empty());
        let from = near.iter().copied();
        let from: Vec<usize> = from.filter(|place| !block(*place).is_empty()).collect();
        let received = world.exchange(edges, from.iter().copied()).wait()?;
        let mut both = (Vec::new(), Vec::new());
        for (place, items) in from.into_iter().zip(received) {
            let side = if place < here {
                &mut both.0
            } else {
                &mut both.1
            };
            side.extend(items);
        }
        Ok(both)
    }
}

impl<T: Serialize + DeserializeOwned + Send + 'static> PlaceArray<Vec<T>> {
    /// Transposes a matrix. The items of this array are the rows of the matrix, each of length `columns`. The items of the result are the
    /// columns of the matrix, divided among the places in the same way.
    ///
    /// All places must pass the same `columns`, because a place may have no row. The numbers of rows and columns need not be multiples
    /// of the number of places.
    ///
    /// ```
    /// use heist_places::{Local, PlaceArray};
    /// let outcomes = Local::new(2).run(|world| {
    ///     let (rows, columns) = (2, 3);
    ///     let matrix = PlaceArray::new(&world, rows, |row| {
    ///         (0..columns).map(|column| 10 * row + column).collect()
    ///     });
    ///     matrix.transpose(&world, columns).unwrap().gather(&world).unwrap()
    /// });
    /// assert_eq!(outcomes[0], Ok(Some(vec![vec![0, 10], vec![1, 11], vec![2, 12]])));
    /// ```
    ///
    /// The transposition is one [`all_to_all`](World::all_to_all). Each of P places divides its share of the matrix into P parts, keeps one
    /// part, and sends the other parts in P - 1 messages. A place copies an item only when it encodes the item. The peak memory is two to
    /// three times the place's share. One thread of each place divides, encodes and joins the rows.
    ///
    /// # Errors
    /// Returns an error if a place has died or ended its part of the program, or if a part is longer than the longest message of the
    /// transport (4 GiB between processes of one machine).
    ///
    /// # Panics
    /// Panics if a row of this place is longer or shorter than `columns`, or if the places disagree about `columns`.
    pub fn transpose(self, world: &World, columns: usize) -> Result<Self, PlaceError> {
        let PlaceArray {
            length: rows,
            here,
            places,
            block,
        } = self;
        // For each place, the list contains the items of the place's columns, row after row.
        let mut parts: Vec<Vec<T>> = (0..places)
            .map(|place| Vec::with_capacity(block.len() * range(columns, place, places).len()))
            .collect();
        for row in block {
            assert_eq!(
                row.len(),
                columns,
                "heist-places: a row of a matrix of {columns} columns"
            );
            let mut items = row.into_iter();
            for (place, part) in parts.iter_mut().enumerate() {
                part.extend(items.by_ref().take(range(columns, place, places).len()));
            }
        }
        let parts = world.all_to_all(parts).wait()?;
        let mut block: Vec<Vec<T>> = range(columns, here, places)
            .map(|_| Vec::with_capacity(rows))
            .collect();
        for (place, part) in parts.into_iter().enumerate() {
            assert_eq!(
                part.len(),
                range(rows, place, places).len() * block.len(),
                "heist-places: place {place} has another number of columns than {columns}"
            );
            let mut items = part.into_iter();
            while items.len() > 0 {
                for (column, item) in block.iter_mut().zip(&mut items) {
                    column.push(item);
                }
            }
        }
        Ok(PlaceArray {
            length: columns,
            here,
            places,
            block,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::range;

    #[test]
    fn blocks_cover_the_array() {
        for length in 0..40 {
            for places in 1..10 {
                let all: Vec<usize> = (0..places)
                    .flat_map(|place| range(length, place, places))
                    .collect();
                assert_eq!(all, (0..length).collect::<Vec<_>>());
                let lengths = (0..places).map(|place| range(length, place, places).len());
                let (least, most) = (lengths.clone().min().unwrap(), lengths.max().unwrap());
                assert!(most - least <= 1, "{length} over {places}");
            }
        }
    }
}
