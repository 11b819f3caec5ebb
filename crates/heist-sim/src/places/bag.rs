//! Bags of nodes, which split like the bags of `heist-places/examples/uts.rs`.

use super::tree::Tree;

/// The children of a node that have not been visited: the nodes from `from` up to, but not including, `to`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Family {
    from: u32,
    to: u32,
}

/// Nodes that wait to be visited.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Bag {
    families: Vec<Family>,
}

impl Bag {
    /// Returns a bag with the children of the root.
    pub(super) fn new(tree: &Tree) -> Bag {
        let mut bag = Bag::default();
        bag.visit(tree, 0);
        bag
    }

    fn visit(&mut self, tree: &Tree, node: u32) {
        let children = tree.children(node);
        if !children.is_empty() {
            self.families.push(Family {
                from: children.start,
                to: children.end,
            });
        }
    }

    /// Visits at most `most` nodes, depth first. Returns the number of visited nodes, and true if nodes are left.
    pub(super) fn process(&mut self, tree: &Tree, most: u64) -> (u64, bool) {
        for done in 0..most {
            let Some(last) = self.families.last_mut() else {
                return (done, false);
            };
            let child = last.from;
            last.from += 1;
            if last.from == last.to {
                self.families.pop();
            }
            self.visit(tree, child);
        }
        (most, !self.families.is_empty())
    }

    /// Moves the later half of each family, rounded down, into a new bag. Returns `None` if all families have
    /// only one member.
    pub(super) fn split(&mut self) -> Option<Bag> {
        let mut given = Vec::new();
        for family in &mut self.families {
            let middle = family.from + (family.to - family.from).div_ceil(2);
            if middle < family.to {
                given.push(Family {
                    from: middle,
                    to: family.to,
                });
                family.to = middle;
            }
        }
        (!given.is_empty()).then_some(Bag { families: given })
    }

    /// Returns the number of families. The memory of a bag, and its bytes in a message, are in proportion to
    /// this number.
    pub(super) fn families(&self) -> u64 {
        self.families.len() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_have_all_nodes() {
        let tree = Tree::geometric(1, 4.0, 8);
        let mut bag = Bag::new(&tree);
        let mut visited = 1 + bag.process(&tree, 500).0;
        let half = bag.split().unwrap();
        for mut bag in [bag, half] {
            loop {
                let (some, more) = bag.process(&tree, 7);
                visited += some;
                if !more {
                    break;
                }
            }
        }
        assert_eq!(visited, tree.nodes());
    }

    #[test]
    fn a_family_of_five_gives_two() {
        let tree = Tree::grow(0, |&height| if height == 0 { 5 } else { 0 }, |_, _| 1);
        let mut bag = Bag::new(&tree);
        let mut half = bag.split().unwrap();
        assert_eq!(bag.process(&tree, 9), (3, false));
        assert_eq!(half.process(&tree, 2), (2, false));
        assert_eq!(half.split(), None);
    }
}
