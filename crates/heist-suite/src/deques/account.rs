//! Counts the items that each thread got, and checks that no item was lost.

use super::Delivery;

/// The items that the owner and each thief took in a run. The benchmark keeps the logs between runs, to reuse their memory.
#[derive(Debug, Default)]
pub struct Logs {
    /// The items that the owner took, followed by one entry for each thief with the items that it took.
    pub(super) taken: Vec<Vec<u32>>,
    seen: Vec<u8>,
}

/// An account of a run: how many items each thread took, and how often items were taken.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Account {
    /// The number of items that the owner took, followed by the number for each thief. An item that was taken twice counts twice.
    pub taken: Vec<u64>,
    /// Entry `i` is the number of items that were taken `i + 1` times. An item that was taken more than 255 times counts as taken 255
    /// times.
    pub multiplicity: Vec<u64>,
}

impl Account {
    /// Returns the number of takes and steals that returned an item that had been taken before.
    pub fn repeats(&self) -> u64 {
        let items: u64 = self.multiplicity.iter().sum();
        self.taken.iter().sum::<u64>() - items
    }
}

impl Logs {
    /// Makes an empty log for each thread.
    pub(super) fn clear(&mut self, threads: usize) {
        self.taken.resize_with(threads, Vec::new);
        self.taken.iter_mut().for_each(Vec::clear);
    }

    /// Returns the account of a run with `items` items, whose numbers start at 0. If items were lost or repeated, returns an error that
    /// names them.
    pub(super) fn account(&mut self, items: usize, delivery: Delivery) -> Result<Account, String> {
        self.seen.clear();
        self.seen.resize(items, 0);
        for &item in self.taken.iter().flatten() {
            let Some(seen) = self.seen.get_mut(item as usize) else {
                return Err(format!("item {item} came out, and was never put in"));
            };
            *seen = seen.saturating_add(1);
        }
        let mut multiplicity: Vec<u64> = Vec::new();
        for (item, &times) in self.seen.iter().enumerate() {
            let Some(place) = usize::from(times).checked_sub(1) else {
                let lost = self.seen.iter().filter(|&&times| times == 0).count();
                return Err(format!(
                    "{lost} of {items} items were lost, the first of them {item}"
                ));
            };
            if multiplicity.len() <= place {
                multiplicity.resize(place + 1, 0);
            }
            multiplicity[place] += 1;
            if times > 1 && delivery == Delivery::ExactlyOnce {
                return Err(format!("item {item} came out {times} times"));
            }
        }
        Ok(Account {
            taken: self.taken.iter().map(|log| log.len() as u64).collect(),
            multiplicity,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn account(taken: &[&[u32]], items: usize, delivery: Delivery) -> Result<Account, String> {
        let mut logs = Logs::default();
        logs.clear(taken.len());
        for (log, taken) in logs.taken.iter_mut().zip(taken) {
            log.extend_from_slice(taken);
        }
        logs.account(items, delivery)
    }

    #[test]
    fn accounts_balance() {
        use Delivery::{AtLeastOnce, ExactlyOnce};
        let account_of = account(&[&[2, 0], &[1]], 3, ExactlyOnce).unwrap();
        assert_eq!(account_of.taken, [2, 1]);
        assert_eq!(account_of.multiplicity, [3]);
        assert_eq!(account_of.repeats(), 0);
        let twice: &[&[u32]] = &[&[2, 0, 1], &[1, 1]];
        let account_of = account(twice, 3, AtLeastOnce).unwrap();
        assert_eq!(account_of.multiplicity, [2, 0, 1]);
        assert_eq!(account_of.repeats(), 2);
        assert!(
            account(twice, 3, ExactlyOnce)
                .unwrap_err()
                .contains("item 1 came out 3 times")
        );
        for delivery in [ExactlyOnce, AtLeastOnce] {
            let lost = account(&[&[0], &[3]], 4, delivery).unwrap_err();
            assert!(
                lost.contains("2 of 4 items were lost, the first of them 1"),
                "{lost}"
            );
            assert!(
                account(&[&[0, 4]], 4, delivery)
                    .unwrap_err()
                    .contains("item 4")
            );
        }
    }
}
