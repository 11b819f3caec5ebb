//! Trees of unpredictable shape. A program grows a tree once. The tree does not change afterwards, so each simulation walks through the
//! same tree.

use crate::random::Random;

/// A tree whose nodes are the items of work, as in the benchmark UTS (Olivier et al., LCPC 2006).
///
/// The tree takes six bytes for each node. The children of a node have consecutive numbers.
///
/// ```
/// use heist_sim::Tree;
///
/// // A binary tree of depth 3: each node is its height.
/// let tree = Tree::grow(0, |&height| if height < 3 { 2 } else { 0 }, |&height, _| height + 1);
/// assert_eq!(tree.nodes(), 15);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tree {
    /// The number of the first child of each node.
    first: Vec<u32>,
    /// The number of children of each node.
    children: Vec<u16>,
}

impl Tree {
    /// Grows a tree from its root: `children` returns the number of a node's children, and `child` returns a node's child with a
    /// given index. `children` is called once for each node, and `child` once for each node except the root. The call takes time linear in
    /// the number of nodes.
    ///
    /// # Panics
    ///
    /// Panics if a node has more than 65,535 children, or if the tree has more than 2^32 - 1 nodes.
    ///
    /// # Examples
    ///
    /// See [`Tree`].
    pub fn grow<N>(
        root: N,
        mut children: impl FnMut(&N) -> u32,
        mut child: impl FnMut(&N, u32) -> N,
    ) -> Tree {
        let mut tree = Tree {
            first: Vec::new(),
            children: Vec::new(),
        };
        tree.add(1);
        let count = tree.settle(0, children(&root));
        // Each entry has a node, the node's number, the index of its next child to grow, and the number of its children.
        let mut open = vec![(root, 0, 0, count)];
        while let Some((node, number, next, count)) = open.last_mut() {
            if *next == *count {
                open.pop();
                continue;
            }
            let at = tree.first[*number as usize] + *next;
            let grown = child(node, *next);
            *next += 1;
            let count = tree.settle(at, children(&grown));
            if count > 0 {
                open.push((grown, at, 0, count));
            }
        }
        tree
    }

    /// Returns a geometric tree. Each node above `depth` has a random number of children, with the mean `mean` and the maximum 100. The
    /// root has `mean` children. Trees of equal seeds are equal. The distribution is the same as in UTS's tree T1, but the random numbers
    /// differ.
    ///
    /// ```
    /// use heist_sim::Tree;
    ///
    /// assert_eq!(Tree::geometric(1, 4.0, 0).nodes(), 1);
    /// assert!(Tree::geometric(3, 4.0, 8).nodes() > 1_000);
    /// ```
    ///
    /// # Panics
    ///
    /// Panics if the tree has more than 2^32 - 1 nodes.
    pub fn geometric(seed: u64, mean: f64, depth: u32) -> Tree {
        let rest = (1.0 - 1.0 / (1.0 + mean)).ln();
        Tree::grow(
            (seed, 0),
            |&(state, height)| {
                if height >= depth {
                    return 0;
                } else if height == 0 {
                    return mean as u32;
                }
                let unit = Random::new(state).unit();
                // The inverse of the geometric distribution.
                (((1.0 - unit).ln() / rest) as u32).min(100)
            },
            |&(state, height), index| {
                let child = Random::new(state ^ (u64::from(index) + 1) << 40).next();
                (child, height + 1)
            },
        )
    }

    /// Returns the number of nodes.
    ///
    /// # Examples
    ///
    /// See [`Tree`].
    pub fn nodes(&self) -> u64 {
        self.first.len() as u64
    }

    /// Returns the range of numbers of the children of `node`. The root has the number 0.
    ///
    /// ```
    /// use heist_sim::Tree;
    ///
    /// let tree = Tree::grow(0, |&height| if height < 1 { 3 } else { 0 }, |_, _| 1);
    /// assert_eq!(tree.children(0), 1..4);
    /// assert!(tree.children(2).is_empty());
    /// ```
    ///
    /// # Panics
    ///
    /// Panics if the tree has no such node.
    #[inline]
    pub fn children(&self, node: u32) -> std::ops::Range<u32> {
        let first = self.first[node as usize];
        first..first + u32::from(self.children[node as usize])
    }

    fn add(&mut self, nodes: u32) {
        let new = self.first.len() + nodes as usize;
        assert!(
            u32::try_from(new).is_ok(),
            "a tree of more than 2^32 nodes does not fit"
        );
        self.first.resize(new, 0);
        self.children.resize(new, 0);
    }

    /// Adds `count` children to a node, and returns `count`.
    fn settle(&mut self, node: u32, count: u32) -> u32 {
        let Ok(children) = u16::try_from(count) else {
            panic!("a node of {count} children does not fit");
        };
        self.first[node as usize] = self.first.len() as u32;
        self.children[node as usize] = children;
        self.add(count);
        count
    }
}

#[cfg(test)]
mod tests {
    use super::Tree;

    #[test]
    fn each_node_but_the_root_is_the_child_of_one() {
        let tree = Tree::geometric(5, 3.0, 7);
        let mut parents = vec![0; tree.nodes() as usize];
        for node in 0..tree.nodes() as u32 {
            for child in tree.children(node) {
                parents[child as usize] += 1;
            }
        }
        assert_eq!(parents[0], 0);
        assert!(parents[1..].iter().all(|&count| count == 1));
        assert_eq!(tree, Tree::geometric(5, 3.0, 7));
    }
}
