//! Assigns numbers to places in the source texts. These numbers are called spots.

use std::cmp::Reverse;

use rustc_hash::FxHashMap;

use super::kinds::Made;
use crate::anf;
use crate::runtime::code::places::{Group, Part, Places, Spot};
use crate::source::{FileId, Sources, Span};
use crate::symbol::Symbol;

/// The numbers of places in the source texts. Code generation adds places one by one. [`finish`](Spots::finish) translates all places to
/// files and lines.
#[derive(Default)]
pub struct Spots {
    numbers: FxHashMap<Span, u32>,
    spans: Vec<Span>,
    /// The allocations of the checks and calls for which [`group`](Spots::group) has made numbers.
    groups: Vec<Group>,
    /// The numbers of the names of types.
    names: FxHashMap<Symbol, u32>,
}

impl Spots {
    /// Returns the number of a place, which is at least 1, or 0 for [`Span::NONE`].
    pub fn number(&mut self, span: Span) -> u32 {
        if span == Span::NONE {
            return 0;
        }
        let next = self.spans.len() as u32 + 1;
        let number = *self.numbers.entry(span).or_insert(next);
        if number == next {
            self.spans.push(span);
        }
        number
    }

    /// Returns a new number for the check or call that makes these objects. In backtraces, the number stands for the place of the first
    /// object.
    pub fn group(&mut self, objects: Vec<Made>) -> u32 {
        let first = objects.first().map_or(Span::NONE, |object| object.0);
        let parts = objects.into_iter().map(|(span, name)| Part {
            spot: self.number(span),
            name: name.map_or(0, |name| {
                let next = self.names.len() as u32 + 1;
                *self.names.entry(name).or_insert(next)
            }),
        });
        let parts = parts.collect();
        self.spans.push(first);
        let spot = self.spans.len() as u32;
        self.groups.push(Group { spot, parts });
        spot
    }

    /// Returns the number of spots.
    pub fn count(&self) -> usize {
        self.spans.len()
    }

    /// Returns a description of all numbered places, with their files and lines.
    pub fn finish(&self, places: &anf::Places) -> Places {
        let mut names: Vec<(Symbol, u32)> = self.names.iter().map(|it| (*it.0, *it.1)).collect();
        names.sort_unstable_by_key(|name| name.1);
        let mut finish = Finish {
            functions: Functions::new(&places.functions),
            lines: FxHashMap::default(),
            names: FxHashMap::default(),
            files: FxHashMap::default(),
            calls: FxHashMap::default(),
            out: Places::default(),
        };
        finish.out.groups.clone_from(&self.groups);
        finish.out.names = names.iter().map(|name| name.0.to_string()).collect();
        finish.out.spots = vec![Spot::default(); self.spans.len()];
        for (at, span) in self.spans.iter().enumerate() {
            let mut chain = Vec::new();
            flatten(places, *span, &mut chain);
            let innermost = chain[0];
            let mut call = 0;
            for span in chain.drain(1..).rev() {
                call = finish.call(&places.sources, span, call);
            }
            finish.out.spots[at] = finish.spot(&places.sources, innermost, call);
        }
        finish.out
    }
}

/// Adds to `chain` the place of a span. If the code of the span is inlined, also adds the places of the inlined calls, the innermost call
/// first.
fn flatten(places: &anf::Places, span: Span, chain: &mut Vec<Span>) {
    match places.split(span) {
        Some((inner, call)) => {
            flatten(places, inner, chain);
            flatten(places, call, chain);
        }
        None => chain.push(span),
    }
}

struct Finish {
    functions: Functions,
    /// For each file, the offset of the first byte of each line.
    lines: FxHashMap<FileId, Vec<u32>>,
    names: FxHashMap<Symbol, u32>,
    files: FxHashMap<FileId, u32>,
    /// The spots of inlined calls, which come after the spots of code.
    calls: FxHashMap<(Span, u32), u32>,
    out: Places,
}

impl Finish {
    fn call(&mut self, sources: &Sources, span: Span, call: u32) -> u32 {
        if let Some(number) = self.calls.get(&(span, call)) {
            return *number;
        }
        let spot = self.spot(sources, span, call);
        self.out.spots.push(spot);
        let number = self.out.spots.len() as u32;
        self.calls.insert((span, call), number);
        number
    }

    fn spot(&mut self, sources: &Sources, span: Span, call: u32) -> Spot {
        let Some(file) = sources.file(span.file) else {
            return Spot::default();
        };
        let lines = self.lines.entry(span.file).or_insert_with(|| {
            let ends = file.text.iter().enumerate();
            let ends = ends.filter(|(_, byte)| **byte == b'\n');
            std::iter::once(0)
                .chain(ends.map(|(at, _)| at as u32 + 1))
                .collect()
        });
        let line = lines.partition_point(|start| *start <= span.start);
        let before =
            &file.text[lines[line - 1] as usize..(span.start as usize).min(file.text.len())];
        // Each character is one column, so continuation bytes of UTF-8 do not count.
        let column = 1 + before.iter().filter(|byte| **byte & 0xc0 != 0x80).count();
        let files = self.files.len() as u32 + 1;
        let number = *self.files.entry(span.file).or_insert(files);
        if number == files {
            self.out.files.push(file.path.display().to_string());
        }
        let function = self.functions.around(span).map_or(0, |name| {
            let names = self.names.len() as u32 + 1;
            let number = *self.names.entry(name).or_insert(names);
            if number == names {
                self.out.functions.push(name.as_str().to_owned());
            }
            number
        });
        Spot {
            file: number,
            line: line as u32,
            column: column as u32,
            function,
            call,
        }
    }
}

/// The functions of a program, ordered by their places.
struct Functions {
    /// Functions, sorted by file and first byte. So a function comes before the functions inside it. The third component is the index of
    /// the enclosing function.
    sorted: Vec<(Span, Symbol, Option<usize>)>,
}

impl Functions {
    fn new(functions: &[(Span, Symbol)]) -> Functions {
        let mut sorted: Vec<_> = functions
            .iter()
            .map(|(span, name)| (*span, *name, None))
            .collect();
        sorted.sort_by_key(|(span, ..)| (span.file, span.start, Reverse(span.end)));
        sorted.dedup_by_key(|(span, ..)| *span);
        let mut open: Vec<usize> = Vec::new();
        for at in 0..sorted.len() {
            while open
                .pop_if(|top| !contains(sorted[*top].0, sorted[at].0))
                .is_some()
            {}
            sorted[at].2 = open.last().copied();
            open.push(at);
        }
        Functions { sorted }
    }

    /// Returns the innermost function around a place.
    fn around(&self, span: Span) -> Option<Symbol> {
        let key = (span.file, span.start);
        let behind = self
            .sorted
            .partition_point(|(other, ..)| (other.file, other.start) <= key);
        let mut at = behind.checked_sub(1);
        while let Some(number) = at {
            let (other, name, outer) = self.sorted[number];
            if contains(other, span) {
                return Some(name);
            }
            at = outer;
        }
        None
    }
}

fn contains(outer: Span, inner: Span) -> bool {
    outer.file == inner.file && outer.start <= inner.start && inner.end <= outer.end
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(start: u32, end: u32) -> Span {
        Span {
            file: FileId(0),
            start,
            end,
        }
    }

    #[test]
    fn the_innermost_function_gives_a_place_its_name() {
        let named = |start, end, name| (span(start, end), Symbol::new(name));
        let functions = Functions::new(&[
            named(50, 60, "h"),
            named(0, 40, "f"),
            named(10, 20, "g"),
            named(22, 24, "k"),
        ]);
        let around = |start, end| {
            let name = functions.around(span(start, end));
            name.map_or("none".to_owned(), |name| name.as_str().to_owned())
        };
        assert_eq!(around(0, 3), "f");
        assert_eq!(around(12, 14), "g");
        assert_eq!(around(12, 30), "f");
        assert_eq!(around(30, 31), "f");
        assert_eq!(around(45, 46), "none");
        assert_eq!(around(55, 56), "h");
    }

    #[test]
    fn places_have_lines_and_columns_and_the_calls_around_them() {
        let mut places = anf::Places::default();
        let text = "ab\n\u{e9} raise\n\ncall";
        let file = places.sources.add("x.sml", text, false);
        let at = |start| Span {
            file,
            start,
            end: start + 1,
        };
        let mut spots = Spots::default();
        let inlined = places.inline(at(6), at(13));
        assert_eq!(spots.number(Span::NONE), 0);
        assert_eq!((spots.number(inlined), spots.number(at(0))), (1, 2));
        assert_eq!(spots.number(inlined), 1);
        let found = spots.finish(&places);
        let shown: Vec<_> = found.around(1).map(|spot| spot.to_string()).collect();
        assert_eq!(shown, ["x.sml:2:3", "x.sml:4:1"]);
        let shown: Vec<_> = found.around(2).map(|spot| spot.to_string()).collect();
        assert_eq!(shown, ["x.sml:1:1"]);
        let list = Symbol::new("int list");
        let group = spots.group(vec![
            (at(0), Some(list)),
            (at(13), None),
            (at(3), Some(list)),
        ]);
        let found = spots.finish(&places);
        assert_eq!(found.names, ["int list"]);
        let [Group { spot, parts }] = &found.groups[..] else {
            panic!("one group");
        };
        let shown = |spot| found.around(spot).map(|spot| spot.to_string()).next();
        assert_eq!((*spot, shown(*spot)), (group, Some("x.sml:1:1".into())));
        let parts: Vec<_> = parts
            .iter()
            .map(|part| (shown(part.spot), part.name))
            .collect();
        let place = |place: &str| Some(place.to_owned());
        assert_eq!(
            parts,
            [
                (place("x.sml:1:1"), 1),
                (place("x.sml:4:1"), 0),
                (place("x.sml:2:1"), 1)
            ]
        );
    }
}
