//! Finds the forks that are under way (whose left side is running) where join points begin.

use rustc_hash::FxHashMap;

use super::{Block, End, Label, Rhs, Stmt};

/// For each join point of a function, returns the forks whose left side is under way where the join point begins. The
/// innermost fork is last. The forks are the same on every path to the join point. The map has no entry for a join
/// point to which no path leads, and the walk does not visit the body of such a join point.
///
/// # Errors Returns a description of the first fork that is not nested. A fork is not nested in four cases. First, two paths to one join
/// point have different forks under way. Second, a fork that is under way at a join point begins after the definition of the join point.
/// Third, an [`End::Resume`] or [`End::Drop`] ends a fork that is not the innermost fork. Fourth, a return or a call in tail position
/// leaves the function while a fork is under way.
pub fn under_way(body: &Block) -> Result<FxHashMap<Label, Vec<Label>>, String> {
    let mut walk = Walk::default();
    walk.block(body, Vec::new());
    walk.fault.map_or(Ok(walk.labels), Err)
}

#[derive(Default)]
struct Walk {
    labels: FxHashMap<Label, Vec<Label>>,
    /// The forks that begin before the current place, in the current block and in the enclosing blocks, whether or not
    /// they are under way.
    visible: Vec<Label>,
    fault: Option<String>,
}

impl Walk {
    fn fail(&mut self, why: String) {
        self.fault.get_or_insert(why);
    }

    fn block(&mut self, block: &Block, mut forks: Vec<Label>) {
        let outside = self.visible.len();
        let mut joins = Vec::new();
        for stmt in &block.stmts {
            match stmt {
                Stmt::Let(_, Rhs::Fork { fork, .. }, _) => {
                    forks.push(*fork);
                    self.visible.push(*fork);
                }
                Stmt::Join { label, body, .. } => joins.push((*label, body, self.visible.len())),
                Stmt::Let(..) | Stmt::Funs(_) => {}
            }
        }
        self.end(&block.end, forks);
        // Jumps to a join point are in the end of the block, in later join points, or in the body of the join point.
        for (label, body, visible) in joins.into_iter().rev() {
            self.visible.truncate(visible);
            if let Some(forks) = self.labels.get(&label).cloned() {
                if let Some(fork) = forks.iter().find(|fork| !self.visible.contains(fork)) {
                    self.fail(format!(
                        "L{} is reached while fork L{} is under way, which begins behind it",
                        label.0, fork.0
                    ));
                }
                self.block(body, forks);
            }
        }
        self.visible.truncate(outside);
    }

    fn end(&mut self, end: &End, mut forks: Vec<Label>) {
        match end {
            End::Jump(label, _) => match self.labels.get(label) {
                None => drop(self.labels.insert(*label, forks)),
                Some(first) if *first == forks => {}
                Some(first) => {
                    let (first, here) = (numbers(first), numbers(&forks));
                    self.fail(format!(
                        "L{} is reached while forks {first:?} are under way, and also {here:?}",
                        label.0
                    ));
                }
            },
            End::Resume { fork, .. } | End::Drop { fork, .. } => {
                if forks.last() != Some(fork) {
                    let here = numbers(&forks);
                    self.fail(format!(
                        "fork L{} ends, and forks {here:?} are under way",
                        fork.0
                    ));
                }
                forks.pop();
                for inner in end.blocks() {
                    self.block(inner, forks.clone());
                }
            }
            End::Return(_) | End::TailCall(..) if !forks.is_empty() => {
                let here = numbers(&forks);
                self.fail(format!(
                    "the function is left while forks {here:?} are under way"
                ));
            }
            _ => {
                for inner in end.blocks() {
                    self.block(inner, forks.clone());
                }
            }
        }
    }
}

/// Returns the numbers of labels, for messages.
fn numbers(labels: &[Label]) -> Vec<u32> {
    labels.iter().map(|label| label.0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::anf::{Atom, Cond, Var};
    use crate::source::Span;

    const F: Label = Label(0);
    const G: Label = Label(1);
    const J: Label = Label(2);
    const K: Label = Label(3);

    fn fork(fork: Label) -> Stmt {
        let (thief, args) = (Var(0), Vec::new());
        let begin = Rhs::Fork {
            fork,
            thief,
            args,
            lazy: false,
        };
        Stmt::Let(Vec::new(), begin, Span::NONE)
    }

    fn join(label: Label, body: Block) -> Stmt {
        Stmt::Join {
            label,
            params: Vec::new(),
            body,
            recursive: false,
        }
    }

    fn block(stmts: Vec<Stmt>, end: End) -> Block {
        Block { stmts, end }
    }

    fn jump(label: Label) -> Block {
        block(Vec::new(), End::Jump(label, Vec::new()))
    }

    fn ret() -> Block {
        block(Vec::new(), End::Return(Vec::new()))
    }

    fn drop_then(fork: Label, rest: Block) -> Block {
        let rest = Box::new(rest);
        block(Vec::new(), End::Drop { fork, rest })
    }

    fn either(yes: Block, no: Block) -> End {
        End::If(Cond::IsImm(Atom::Imm(0)), Box::new(yes), Box::new(no))
    }

    #[track_caller]
    fn fails(block: &Block, words: &str) {
        let fault = under_way(block).expect_err(words);
        assert!(fault.contains(words), "{fault}");
    }

    #[test]
    fn forks_that_are_nested() {
        // Both forks are under way where `J` begins. Both have ended where `K` begins.
        let ends = drop_then(G, drop_then(F, jump(K)));
        let body = block(
            vec![join(K, ret()), fork(F), fork(G), join(J, ends)],
            either(jump(J), jump(J)),
        );
        let labels = under_way(&body).expect("nested");
        assert_eq!(labels[&J], [F, G]);
        assert_eq!(labels[&K], []);
    }

    #[test]
    fn ways_that_differ() {
        let ways = either(jump(J), drop_then(F, jump(J)));
        fails(
            &block(vec![fork(F), join(J, drop_then(F, ret()))], ways),
            "L2 is reached while forks [0] are under way, and also []",
        );
    }

    #[test]
    fn a_fork_that_begins_behind_the_join_point() {
        let body = block(vec![join(J, drop_then(F, ret())), fork(F)], jump(J).end);
        fails(&body, "fork L0 is under way, which begins behind it");
    }

    #[test]
    fn forks_that_end_in_the_wrong_order_or_twice() {
        let body = block(
            vec![fork(F), fork(G)],
            drop_then(F, drop_then(G, ret())).end,
        );
        fails(&body, "fork L0 ends, and forks [0, 1] are under way");
        let body = block(vec![fork(F)], drop_then(F, drop_then(F, ret())).end);
        fails(&body, "fork L0 ends, and forks [] are under way");
    }

    #[test]
    fn a_fork_that_does_not_end() {
        let body = block(vec![fork(F)], ret().end);
        fails(&body, "the function is left while forks [0] are under way");
        // A raise ends the fork.
        let raise = End::Raise(Atom::Imm(0), Span::NONE);
        under_way(&block(vec![fork(F)], raise)).expect("nested");
    }

    #[test]
    fn a_join_point_that_no_way_leads_to() {
        let dead = join(J, drop_then(F, jump(K)));
        let body = block(vec![fork(F), join(K, ret()), dead], drop_then(F, ret()).end);
        assert!(under_way(&body).expect("nested").is_empty());
    }
}
