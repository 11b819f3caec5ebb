//! Fork-join programs: strands with their times, binary forks, and flat scopes.

mod build;
mod file;
pub mod generate;
mod word;

pub use build::Builder;
pub(crate) use word::{Op, Token};

use crate::Time;
use std::fmt;
use word::{LONG_TIME, Word};

/// The maximum number of words of a program: positions have 32 bits.
const MOST_WORDS: usize = u32::MAX as usize - 16;
/// The maximum length in words of a branch whose end the simulator finds by walking through the branch. For longer branches, the program
/// stores the ends.
const WALK: u32 = 64;

/// Totals of a program. The times include only strands and no forks, because the cost of a fork depends on the machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// The time of all strands together.
    pub work: Time,
    /// The time of the longest chain of strands.
    pub span: Time,
    /// The number of binary forks.
    pub forks: u64,
    /// The number of tasks spawned into scopes.
    pub spawns: u64,
    /// The number of scopes.
    pub scopes: u64,
}

impl Summary {
    /// Returns work divided by span. On average, no machine can keep more workers busy than this number.
    pub fn parallelism(&self) -> f64 {
        self.work as f64 / self.span.max(1) as f64
    }
}

/// The reason why a sequence of words is not a valid program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DagError(pub(crate) String);

impl fmt::Display for DagError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for DagError {}

/// A series-parallel program, in the order in which one worker alone runs it.
///
/// The program has a word of 32 bits for each fork, each end of a branch, and each start and end of a scope or task. The
/// word contains the duration of the strand before it. So a fork takes three words, and 50 million forks take 600 MB. A
/// strand of more than half a millisecond takes an additional word.
///
/// # Examples
///
/// ```
/// let mut builder = heist_sim::Builder::new();
/// builder.strand(5);
/// builder.fork();
/// builder.strand(100);
/// builder.next();
/// builder.strand(40);
/// builder.join();
/// let program = builder.build().unwrap();
/// assert_eq!(program.summary().work, 145);
/// assert_eq!(program.summary().span, 105);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dag {
    words: Vec<u32>,
    /// The branches of more than `WALK` words: the position of each branch's fork or spawn, and the position of the branch's end. The list
    /// is sorted by the first position.
    ends: Vec<(u32, u32)>,
    summary: Summary,
}

/// A fork, scope or task that the analysis of a program has entered and not left yet.
enum Level {
    Root,
    Left { at: u32 },
    Right { left: Time },
    Scope { latest: Time },
    Task { at: u32 },
}

impl Dag {
    /// Checks the words, and returns the program with its totals.
    fn of(words: Vec<u32>) -> Result<Dag, DagError> {
        if words.len() > MOST_WORDS {
            return Err(DagError(format!(
                "the program has {} words, and {MOST_WORDS} are the most",
                words.len()
            )));
        }
        let mut dag = Dag {
            words,
            ends: Vec::new(),
            summary: Summary::default(),
        };
        let mut summary = Summary::default();
        let mut levels = vec![(Level::Root, 0)];
        let mut at = 0;
        loop {
            let Some(token) = dag.checked(at) else {
                return Err(DagError(format!("the program breaks off at word {at}")));
            };
            let wrong = || {
                DagError(format!(
                    "word {} of the program does not fit what is open there",
                    token.at
                ))
            };
            summary.work += token.time;
            let (level, path) = levels.last_mut().ok_or_else(wrong)?;
            *path += token.time;
            let path = *path;
            match (token.op, level) {
                (Op::Fork, _) => {
                    summary.forks += 1;
                    levels.push((Level::Left { at: token.at }, 0));
                }
                (Op::Next, level @ Level::Left { .. }) => {
                    if let Level::Left { at } = *level {
                        dag.note_end(at, token.at);
                    }
                    *level = Level::Right { left: path };
                    levels.last_mut().ok_or_else(wrong)?.1 = 0;
                }
                (Op::Join, &mut Level::Right { left }) => {
                    levels.pop();
                    levels.last_mut().ok_or_else(wrong)?.1 += left.max(path);
                }
                (Op::Open, _) => {
                    summary.scopes += 1;
                    levels.push((Level::Scope { latest: 0 }, 0));
                }
                (Op::Spawn, Level::Scope { .. }) => {
                    summary.spawns += 1;
                    levels.push((Level::Task { at: token.at }, 0));
                }
                (Op::Done, &mut Level::Task { at }) => {
                    dag.note_end(at, token.at);
                    levels.pop();
                    if let Some((Level::Scope { latest }, begun)) = levels.last_mut() {
                        *latest = (*latest).max(*begun + path);
                    }
                }
                (Op::Close, &mut Level::Scope { latest }) => {
                    levels.pop();
                    levels.last_mut().ok_or_else(wrong)?.1 += latest.max(path);
                }
                (Op::Done, Level::Root) => {
                    summary.span = path;
                    if token.at as usize + 1 != dag.words.len() {
                        return Err(DagError(format!(
                            "the program ends at word {} of {}",
                            token.at,
                            dag.words.len()
                        )));
                    }
                    break;
                }
                _ => return Err(wrong()),
            }
            at = token.at + 1;
        }
        dag.ends.sort_unstable();
        dag.summary = summary;
        Ok(dag)
    }

    fn note_end(&mut self, at: u32, end: u32) {
        if end - at > WALK {
            self.ends.push((at, end));
        }
    }

    /// Returns the work, the span, and the numbers of forks, tasks and scopes.
    pub fn summary(&self) -> Summary {
        self.summary
    }

    /// Returns the number of bytes of memory that the program takes.
    pub fn bytes(&self) -> usize {
        4 * self.words.capacity() + 8 * self.ends.capacity()
    }

    /// Returns the token at `at`: a strand, and the operation that follows it.
    #[inline]
    pub(crate) fn token(&self, at: u32) -> Token {
        let word = Word(self.words[at as usize]);
        if word.op() != Op::Long {
            return word.token(at, 0);
        }
        Word(self.words[at as usize + 1]).token(at + 1, word.time())
    }

    fn checked(&self, at: u32) -> Option<Token> {
        let word = Word(*self.words.get(at as usize)?);
        if word.op() != Op::Long {
            return Some(word.token(at, 0));
        }
        let next = Word(*self.words.get(at as usize + 1)?);
        (next.op() != Op::Long).then(|| next.token(at + 1, word.time()))
    }

    /// Returns the end of the branch that begins after the fork or the spawn at `at`.
    pub(crate) fn end_of_branch(&self, at: u32) -> u32 {
        if let Ok(found) = self.ends.binary_search_by_key(&at, |&(begin, _)| begin) {
            return self.ends[found].1;
        }
        let mut depth = 0_u32;
        let mut next = at + 1;
        loop {
            let token = self.token(next);
            match token.op {
                Op::Fork | Op::Open | Op::Spawn => depth += 1,
                Op::Next | Op::Done if depth == 0 => return token.at,
                Op::Join | Op::Close | Op::Done => depth -= 1,
                Op::Next | Op::Long => {}
            }
            next = token.at + 1;
        }
    }

    /// Calls a function with each strand's time, in the program's order.
    pub fn times(&self, mut show: impl FnMut(Time)) {
        let mut at = 0;
        while at < self.words.len() {
            let token = self.token(at as u32);
            show(token.time);
            at = token.at as usize + 1;
        }
    }

    /// Returns a program in which each strand has the time that `time` returns for the strand's old time.
    ///
    /// # Errors
    ///
    /// Returns an error if the new times need more words than a program may have.
    pub fn retime(mut self, time: impl Fn(Time) -> Time) -> Result<Dag, DagError> {
        let mut at = 0;
        let mut fits = true;
        // First test whether all new times fit into the words of the old times: a strand that becomes long needs an
        // additional word.
        while let Some(token) = (at < self.words.len()).then(|| self.token(at as u32)) {
            let long = token.at as usize > at;
            fits &= long || time(token.time) < LONG_TIME;
            at = token.at as usize + 1;
        }
        if !fits {
            let mut builder = Builder::new();
            at = 0;
            while at < self.words.len() {
                let token = self.token(at as u32);
                builder.strand(time(token.time));
                builder.push(token.op);
                at = token.at as usize + 1;
            }
            return Dag::of(builder.into_words());
        }
        at = 0;
        while at < self.words.len() {
            let token = self.token(at as u32);
            let new = time(token.time);
            if token.at as usize > at {
                self.words[at] = Word::new(Op::Long, new / LONG_TIME).0;
            }
            self.words[token.at as usize] = Word::new(token.op, new % LONG_TIME).0;
            at = token.at as usize + 1;
        }
        self.ends.clear();
        Dag::of(self.words)
    }
}

#[cfg(test)]
mod tests;
