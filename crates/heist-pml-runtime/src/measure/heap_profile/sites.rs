//! Names of the places at which objects are allocated, and of the objects' types.

use std::collections::HashMap;

use crate::code::known::Known;
use crate::code::places::Places;
use crate::value::object::{Header, Kind};

/// The spots of an allocation; 0 stands for an unknown spot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Origin {
    /// The spot of the frame that allocates.
    pub(crate) spot: u32,
    /// The spot of the newest frame outside of the Basis, if `spot` is within the Basis.
    pub(crate) caller: u32,
}

/// A place that allocates objects of one type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Site {
    /// The type of the objects.
    pub(crate) ty: String,
    /// The place in the program, or in the Basis if no frame of the program is known.
    pub(crate) place: String,
    /// The place in the Basis that allocates for the program, if there is one.
    pub(crate) within: Option<String>,
    /// Number of bytes that the site has allocated, estimated from samples.
    pub(crate) allocated: u64,
}

/// The type of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Type {
    /// A type that the compiler has named: the index of the program, and the number of the name in that program.
    Named(usize, u32),
    /// A type that is known only from the object's header.
    Seen(&'static str),
}

/// The places of a program.
struct Program {
    /// The number of the program's first spot, minus 1.
    before: u32,
    places: Places,
    /// Entry `n` is true if spot `n`, or a call at which it is inlined, is outside of the Basis.
    users: Vec<bool>,
    /// Maps the spot of a check to the index of the allocations that share the check.
    groups: HashMap<u32, usize>,
}

impl Program {
    fn read(known: &Known) -> Program {
        let places = Places::decode(known.places).unwrap_or_default();
        let is_users = |number| places.around(number).any(|place| !place.is_of_basis());
        let spots = places.spots.len() as u32;
        let groups = places.groups.iter().enumerate();
        Program {
            before: known.before,
            users: (0..=spots).map(is_users).collect(),
            groups: groups.map(|(at, group)| (group.spot, at)).collect(),
            places,
        }
    }
}

/// All sites of a profile.
#[derive(Default)]
pub(crate) struct Sites {
    programs: Vec<Program>,
    all: Vec<Site>,
    by_origin: HashMap<(Origin, Type), u32>,
    by_text: HashMap<(String, String, Option<String>), u32>,
}

impl Sites {
    /// Returns all sites, by number.
    pub(crate) fn all(&self) -> &[Site] {
        &self.all
    }

    /// Returns true if a spot, or a call at which it is inlined, is outside of the Basis. `known` are the spots of all programs.
    pub(crate) fn is_users(&mut self, spot: u32, known: &[Known]) -> bool {
        while self.programs.len() < known.len() {
            let next = Program::read(&known[self.programs.len()]);
            self.programs.push(next);
        }
        self.program(spot).is_some_and(|(program, number)| {
            let users = &self.programs[program].users;
            users.get(number as usize).copied().unwrap_or(false)
        })
    }

    /// Returns the index of a spot's program, and the spot's number in that program.
    fn program(&self, spot: u32) -> Option<(usize, u32)> {
        let at = self.programs.iter().rposition(|it| it.before < spot)?;
        Some((at, spot - self.programs[at].before))
    }

    /// Counts `bytes` for the site of an object. The object is the `index`th of the objects that share a check. Returns the number of the
    /// site.
    pub(crate) fn of(&mut self, origin: Origin, index: usize, header: Header, bytes: u64) -> u32 {
        let mut origin = origin;
        let mut ty = Type::Seen(seen(header));
        if let Some((program, number)) = self.program(origin.spot) {
            let it = &self.programs[program];
            let group = it.groups.get(&number).map(|at| &it.places.groups[*at]);
            if let Some(part) = group.and_then(|group| group.parts.get(index)) {
                origin.spot = part.spot + if part.spot > 0 { it.before } else { 0 };
                if part.name > 0 {
                    ty = Type::Named(program, part.name);
                }
            }
        }
        let site = match self.by_origin.get(&(origin, ty)) {
            Some(site) => *site,
            None => {
                let site = self.describe(origin, ty);
                self.by_origin.insert((origin, ty), site);
                site
            }
        };
        self.all[site as usize].allocated += bytes;
        site
    }

    /// Returns the number of the site whose texts describe these spots. Different spots may have the same text, and then have the same
    /// site.
    fn describe(&mut self, origin: Origin, ty: Type) -> u32 {
        let (mut outside, mut innermost) = (None, None);
        for spot in [origin.spot, origin.caller] {
            let Some((program, number)) = self.program(spot) else {
                continue;
            };
            for place in self.programs[program].places.around(number) {
                if !place.is_of_basis() {
                    outside.get_or_insert_with(|| place.to_string());
                    break;
                }
                innermost.get_or_insert_with(|| place.to_string());
            }
            if outside.is_some() {
                break;
            }
        }
        let (place, within) = match (outside, innermost) {
            (Some(outside), innermost) => (outside, innermost),
            (None, Some(innermost)) => (innermost, None),
            (None, None) => ("the runtime".to_owned(), None),
        };
        let ty = match ty {
            Type::Seen(name) => name.to_owned(),
            Type::Named(program, name) => {
                let names = &self.programs[program].places.names;
                names
                    .get(name as usize - 1)
                    .map_or("?", String::as_str)
                    .to_owned()
            }
        };
        let next = self.all.len() as u32;
        let key = (ty.clone(), place.clone(), within.clone());
        let site = *self.by_text.entry(key).or_insert(next);
        if site == next {
            self.all.push(Site {
                ty,
                place,
                within,
                allocated: 0,
            });
        }
        site
    }
}

/// Returns the type of an object as far as the object's header shows it.
fn seen(header: Header) -> &'static str {
    match header.kind() {
        Some(Kind::Record) if header.is_thread() => "thread",
        Some(Kind::Record) if header == Header::reference(true) => "ref",
        Some(Kind::Record) if header == Header::reference(false) => "ref",
        Some(Kind::Record) if !header.may_be_copied() => "exception",
        Some(Kind::Record) => "record or constructor",
        Some(Kind::Closure) => "function",
        Some(Kind::Pointers) => "array of objects",
        Some(Kind::Words) => "array of numbers",
        Some(Kind::Bytes) => "string or IntInf.int",
        None => "?",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::places::{Group, Part, Spot};

    #[test]
    fn sites_are_named_by_type_and_place() {
        let spot = |file, line, call| Spot {
            file,
            line,
            column: 1,
            function: 0,
            call,
        };
        let places = Places {
            files: vec!["a.sml".into(), "basis/list.sml".into()],
            functions: Vec::new(),
            spots: vec![spot(1, 3, 0), spot(2, 5, 0), spot(2, 7, 1), spot(1, 3, 0)],
            names: vec!["int list".into()],
            groups: vec![Group {
                spot: 4,
                parts: vec![Part { spot: 1, name: 1 }, Part { spot: 2, name: 0 }],
            }],
        };
        let known = [Known {
            before: 0,
            spots: 0,
            count: 5,
            places: places.encode().leak(),
        }];
        let mut sites = Sites::default();
        let users: Vec<bool> = (0..6).map(|spot| sites.is_users(spot, &known)).collect();
        assert_eq!(users, [false, true, false, true, true, false]);
        let mut of = |spot, caller, index| {
            let site = sites.of(Origin { spot, caller }, index, Header::record(0, 1, 1), 10);
            let site = &sites.all[site as usize];
            let within = site.within.clone().unwrap_or_default();
            format!("{} {} {within} {}", site.ty, site.place, site.allocated)
        };
        assert_eq!(of(1, 0, 0), "record or constructor a.sml:3:1  10");
        assert_eq!(of(4, 0, 0), "int list a.sml:3:1  10");
        assert_eq!(of(4, 0, 1), "record or constructor basis/list.sml:5:1  10");
        assert_eq!(
            of(2, 1, 0),
            "record or constructor a.sml:3:1 basis/list.sml:5:1 10"
        );
        assert_eq!(
            of(3, 0, 0),
            "record or constructor a.sml:3:1 basis/list.sml:7:1 10"
        );
        assert_eq!(of(1, 0, 0), "record or constructor a.sml:3:1  20");
        assert_eq!(of(0, 0, 0), "record or constructor the runtime  10");
    }
}
