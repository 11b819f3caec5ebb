//! Collective operations in which places send values to each other directly, not through place 0.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::wire::append;
use crate::world::read;
use crate::{Waiting, World};

impl World {
    /// Sends each place one of the values, in the order of the places. Returns the values that all places have sent to this place, in the
    /// same order.
    ///
    /// This operation is collective, like [`barrier`](World::barrier). Each place sends one message directly to each other place, and waits
    /// only until it has a value from each other place. The operation moves the place's own value, without encoding it. Each place sends
    /// first to the place after it, so the first messages of all places go to different places. The values may have different lengths, as
    /// in `MPI_Alltoallv`. A place encodes its values one after the other, and drops each value after encoding it. The receiver decodes the
    /// values when its caller awaits the outcome.
    ///
    /// ```
    /// use heist_places::Local;
    /// let outcomes = Local::new(3).run(|world| {
    ///     let letters = (0..world.places()).map(|to| format!("{} to {to}", world.here()));
    ///     world.all_to_all(letters.collect()).wait()
    /// });
    /// let received = ["0 to 1", "1 to 1", "2 to 1"].map(str::to_owned);
    /// assert_eq!(outcomes[1], Ok(Ok(received.to_vec())));
    /// ```
    ///
    /// # Errors
    /// Returns an error if a place has died or ended its part of the program. Also returns an error if a value for this place is longer
    /// than the longest message of the transport (4 GiB between processes of one machine).
    ///
    /// # Panics
    /// Panics if `values` does not have one value for each place, or if a value cannot be encoded.
    pub fn all_to_all<T>(&self, values: Vec<T>) -> Waiting<Vec<T>>
    where
        T: Serialize + DeserializeOwned + Send + 'static,
    {
        let (here, places) = (self.here(), self.places());
        assert_eq!(
            values.len(),
            places,
            "heist-places: each place gives a value for each place"
        );
        let mut values: Vec<_> = values.into_iter().enumerate().collect();
        values.rotate_left(here);
        let mut values = values.into_iter();
        let own = values.next();
        let others = (0..places).filter(|other| *other != here);
        let received = self.exchange(values, others);
        Waiting::new(async move {
            let mut received = received.await?;
            if let Some((_, own)) = own {
                received.insert(here, own);
            }
            Ok(received)
        })
    }

    /// Sends `first` to the previous place and `last` to the next place. Returns two values: the value that the previous place has sent to
    /// this place, and the value that the next place has sent to this place.
    ///
    /// This operation is collective, like [`barrier`](World::barrier). The operation takes two messages for each pair of neighbours. The
    /// first place has no previous place, and the last place has no next place. In place of the missing value, the result has `None`.
    ///
    /// ```
    /// use heist_places::Local;
    /// let outcomes = Local::new(3).run(|world| {
    ///     let here = world.here();
    ///     world.neighbours(format!("first of {here}"), format!("last of {here}")).wait()
    /// });
    /// let (before, behind) = outcomes[1].clone().unwrap().unwrap();
    /// assert_eq!(before.unwrap(), "last of 0");
    /// assert_eq!(behind.unwrap(), "first of 2");
    /// ```
    ///
    /// # Errors
    /// Returns an error if the previous or the next place has died or ended its part of the program.
    pub fn neighbours<T>(&self, first: T, last: T) -> Waiting<(Option<T>, Option<T>)>
    where
        T: Serialize + DeserializeOwned + Send + 'static,
    {
        let before = self.here().checked_sub(1);
        let behind = Some(self.here() + 1).filter(|place| *place < self.places());
        let values = [before.map(|to| (to, first)), behind.map(|to| (to, last))];
        let received = self.exchange(
            values.into_iter().flatten(),
            [before, behind].into_iter().flatten(),
        );
        Waiting::new(async move {
            let mut received = received.await?.into_iter();
            let before = before.and_then(|_| received.next());
            let behind = behind.and_then(|_| received.next());
            Ok((before, behind))
        })
    }

    /// Sends values to other places, at most one to each place. Returns the values that the places `from` have sent to this place, in the
    /// order of `from`.
    ///
    /// This operation is collective. `from` must contain exactly the places that send a value to this place.
    pub(crate) fn exchange<T>(
        &self,
        to: impl IntoIterator<Item = (usize, T)>,
        from: impl IntoIterator<Item = usize>,
    ) -> Waiting<Vec<T>>
    where
        T: Serialize + DeserializeOwned + Send + 'static,
    {
        let (place, here) = (self.place(), self.here());
        // An operation has one outcome, which one place sends. So each sender has an operation of its own.
        let first = place.next_operations(self.places());
        let of = |sender: usize| first + sender as u64;
        for (other, value) in to {
            place.publish_to(other, of(here), &Ok(append(&value, Vec::new())));
        }
        let slots: Vec<_> = from
            .into_iter()
            .map(|other| place.outcome(of(other), other))
            .collect();
        Waiting::new(async move {
            let mut values = Vec::with_capacity(slots.len());
            for slot in slots {
                values.push(read(here, &slot.await?)?);
            }
            Ok(values)
        })
    }
}
