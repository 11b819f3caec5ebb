//! Anagrams in a real word list.

use std::collections::HashMap;
use std::sync::OnceLock;

use crate::bounds::within;
use crate::contender::Contender;
use crate::count::forks_of;
use crate::ctx::{Ctx, fold};
use crate::data::Data;
use crate::program::{Instance, Program, Size};
use crate::runner::{Kernel, Runner};
use crate::sort::{Cut, How, sort};

pub(super) const PROGRAM: Program = Program {
    name: "words",
    about: "groups a real word list by anagrams: signatures, a merge sort by signature, a count of groups",
    source: "real input: Debian's American English word list",
    contenders: Contender::JOINS,
    prepare,
};

/// The length of the longest accepted word, in bytes.
const LONGEST: usize = 64;
/// The number of words whose signatures one leaf computes.
const LEAF: usize = 8;

/// Words in one buffer: word `i` is `text[starts[i]..starts[i + 1]]`.
struct Words {
    text: Vec<u8>,
    starts: Vec<u32>,
}

impl Words {
    fn len(&self) -> usize {
        self.starts.len() - 1
    }

    #[inline]
    fn of<'a>(&self, text: &'a [u8], i: u32) -> &'a [u8] {
        &text[self.starts[i as usize] as usize..self.starts[i as usize + 1] as usize]
    }

    /// Returns `n` words from positions that are spread evenly over the file, or all words.
    fn load(size: Size, data: &Data) -> Result<Words, String> {
        let source = data.words()?;
        let lines: Vec<(usize, &str)> = source.lines().collect();
        if let Some((line, _)) = lines.iter().find(|(_, word)| word.len() > LONGEST) {
            return Err(source.wrong(*line, format_args!("a word of more than {LONGEST} bytes")));
        }
        if lines.is_empty() {
            return Err(format!("{}: there are no words", source.name));
        }
        let all = lines.len() as u64;
        let n = within(
            "the number of words",
            size.pick(all.min(20_000), all),
            1..=all,
        )?;
        let (mut text, mut starts) = (Vec::new(), vec![0]);
        for i in 0..n {
            text.extend_from_slice(lines[i * lines.len() / n].1.as_bytes());
            starts.push(
                u32::try_from(text.len())
                    .map_err(|_| format!("{}: more than 4 GiB", source.name))?,
            );
        }
        Ok(Words { text, starts })
    }
}

/// Fills `out` with the signatures of the words `first..end`. The signature of a word is its bytes in lower case, sorted.
fn sign<C: Ctx>(ctx: C, words: &Words, first: usize, end: usize, out: &mut [u8]) {
    if end - first <= LEAF {
        let mut out = out;
        for i in first..end {
            let word = words.of(&words.text, i as u32);
            let (signature, rest) = out.split_at_mut(word.len());
            signature.copy_from_slice(word);
            signature.make_ascii_lowercase();
            signature.sort_unstable();
            out = rest;
        }
        return;
    }
    let middle = first + (end - first) / 2;
    let (left, right) = out.split_at_mut((words.starts[middle] - words.starts[first]) as usize);
    ctx.join(
        |c| sign(c, words, first, middle, left),
        |c| sign(c, words, middle, end, right),
    );
}

/// The number of groups of anagrams, and the total number of words in these groups.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Tally {
    groups: u64,
    related: u64,
}

struct Run<'a> {
    words: &'a Words,
    signatures: &'a mut [u8],
    order: &'a mut [u32],
    spare: &'a mut [u32],
}

impl Kernel for Run<'_> {
    type Out = Tally;

    fn call<C: Ctx>(self, ctx: C) -> Tally {
        let words = self.words;
        sign(ctx, words, 0, words.len(), self.signatures);
        let signature = |i: u32| words.of(self.signatures, i);
        sort(
            ctx,
            self.order,
            self.spare,
            &How::new(|&i, &j| (signature(i), i) < (signature(j), j), Cut::FINE),
        );
        let order = &*self.order;
        let same = |at: usize| signature(order[at - 1]) == signature(order[at]);
        let tally = |_, at: usize| {
            let before = at > 0 && same(at);
            let after = at + 1 < order.len() && same(at + 1);
            Tally {
                groups: u64::from(!before),
                related: u64::from(before || after),
            }
        };
        let merge = |a: Tally, b: Tally| Tally {
            groups: a.groups + b.groups,
            related: a.related + b.related,
        };
        fold(ctx, 0..order.len(), &tally, &merge)
    }
}

struct Anagrams {
    words: Words,
    signatures: Vec<u8>,
    order: Vec<u32>,
    spare: Vec<u32>,
    tally: Option<Tally>,
    expected_order: Vec<u32>,
    expected_tally: Tally,
    forks: OnceLock<u64>,
}

fn prepare(size: Size, data: &Data) -> Result<Box<dyn Instance>, String> {
    Ok(Box::new(Anagrams::new(Words::load(size, data)?)))
}

impl Anagrams {
    fn new(words: Words) -> Anagrams {
        let n = words.len();
        // Compute the expected result in another way: count letters, group by hashing, and sort with the standard library.
        let mut groups: HashMap<Vec<(u8, usize)>, Vec<u32>> = HashMap::new();
        for i in 0..n as u32 {
            let mut counts = [0; 256];
            words
                .of(&words.text, i)
                .iter()
                .for_each(|byte| counts[byte.to_ascii_lowercase() as usize] += 1);
            let key = (0..=255)
                .zip(counts)
                .filter(|&(_, count)| count > 0)
                .collect();
            groups.entry(key).or_default().push(i);
        }
        let related = groups
            .values()
            .map(Vec::len)
            .filter(|&len| len > 1)
            .sum::<usize>();
        let expected_tally = Tally {
            groups: groups.len() as u64,
            related: related as u64,
        };
        let mut sorted: Vec<(Vec<u8>, Vec<u32>)> = groups
            .into_iter()
            .map(|(key, group)| {
                (
                    key.into_iter()
                        .flat_map(|(byte, count)| vec![byte; count])
                        .collect(),
                    group,
                )
            })
            .collect();
        sorted.sort();
        let expected_order = sorted.into_iter().flat_map(|(_, group)| group).collect();
        Anagrams {
            signatures: vec![0; words.text.len()],
            order: (0..n as u32).collect(),
            spare: vec![0; n],
            tally: None,
            words,
            expected_order,
            expected_tally,
            forks: OnceLock::new(),
        }
    }
}

impl Instance for Anagrams {
    fn params(&self) -> String {
        format!(
            "words={} groups={}",
            self.words.len(),
            self.expected_tally.groups
        )
    }

    fn reset(&mut self) {
        self.signatures.fill(0);
        self.order = (0..self.words.len() as u32).collect();
        self.tally = None;
    }

    fn run(&mut self, who: Contender, on: &Runner) {
        let run = Run {
            words: &self.words,
            signatures: &mut self.signatures,
            order: &mut self.order,
            spare: &mut self.spare,
        };
        self.tally = Some(on.run(who, run));
    }

    fn check(&mut self) -> Result<(), String> {
        if let Some(at) = self
            .order
            .iter()
            .zip(&self.expected_order)
            .position(|(is, must)| is != must)
        {
            let word = |i| String::from_utf8_lossy(self.words.of(&self.words.text, i));
            let (is, must) = (word(self.order[at]), word(self.expected_order[at]));
            return Err(format!(
                "place {at} of the order has '{is}' instead of '{must}'"
            ));
        }
        if self.tally != Some(self.expected_tally) {
            return Err(format!(
                "{:?} instead of {:?}",
                self.tally, self.expected_tally
            ));
        }
        Ok(())
    }

    fn forks(&self) -> Option<u64> {
        Some(*self.forks.get_or_init(|| {
            forks_of(Run {
                words: &self.words,
                signatures: &mut self.signatures.clone(),
                order: &mut (0..self.words.len() as u32).collect::<Vec<_>>(),
                spare: &mut self.spare.clone(),
            })
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(list: &[&str]) -> Words {
        let mut words = Words {
            text: Vec::new(),
            starts: vec![0],
        };
        for word in list {
            words.text.extend_from_slice(word.as_bytes());
            words.starts.push(words.text.len() as u32);
        }
        words
    }

    #[test]
    fn knows_anagrams() {
        let mut program = Anagrams::new(words(&["Stale", "tea", "least", "eat", "dog", "Slate"]));
        assert_eq!(
            program.expected_tally,
            Tally {
                groups: 3,
                related: 5
            }
        );
        assert_eq!(program.expected_order, [0, 2, 5, 1, 3, 4]);
        program.run(Contender::Serial, &Runner::new(1).unwrap());
        program.check().unwrap();
    }

    #[test]
    fn a_wrong_order_or_count_fails() {
        let mut program = Anagrams::new(words(&["tea", "eat", "dog", "god", "cow"]));
        program.run(Contender::Serial, &Runner::new(1).unwrap());
        program.check().unwrap();
        program.order.swap(1, 2);
        assert!(program.check().unwrap_err().starts_with("place 1 "));
        program.order.swap(1, 2);
        program.tally = Some(Tally {
            groups: 4,
            related: 4,
        });
        assert!(program.check().is_err());
    }

    #[test]
    fn a_file_of_the_users_own_is_read_and_its_faults_are_named() {
        let path = std::env::temp_dir().join(format!("heist-suite-words-{}", std::process::id()));
        let data = Data {
            words: Some(path.clone()),
            ..Data::default()
        };
        std::fs::write(&path, "on\nno\n\nyes\n").unwrap();
        let params = prepare(Size::Paper, &data).unwrap().params();
        std::fs::write(&path, format!("on\n{}\n", "a".repeat(65))).unwrap();
        let long = prepare(Size::Paper, &data).err().unwrap();
        std::fs::write(&path, "\n").unwrap();
        let empty = prepare(Size::Paper, &data).err().unwrap();
        std::fs::remove_file(&path).unwrap();
        assert_eq!(params, "words=3 groups=2");
        assert!(
            long.contains(", line 2: a word of more than 64 bytes"),
            "{long}"
        );
        assert!(empty.ends_with("there are no words"), "{empty}");
    }
}
