//! Reading of costs from a file.

use std::fs;
use std::path::Path;

use heist_sim::{Costs, Field, PlaceCosts};
use serde_json::{Map, Value};

use crate::failure::Failure;
use crate::select::nearest;

/// A set of costs, each of which has a name.
pub(super) trait Named: Clone + Default {
    fn fields(&mut self) -> Vec<Field<'_>>;
}

impl Named for Costs {
    fn fields(&mut self) -> Vec<Field<'_>> {
        self.fields()
    }
}

impl Named for PlaceCosts {
    fn fields(&mut self) -> Vec<Field<'_>> {
        self.fields()
    }
}

/// Returns the built-in costs, of which the file may replace some.
pub(super) fn load<C: Named>(path: Option<&Path>) -> Result<C, Failure> {
    let Some(path) = path else {
        return Ok(C::default());
    };
    let wrong = |what: String| Failure::Request(format!("--costs: '{}': {what}", path.display()));
    let text = fs::read_to_string(path).map_err(|error| wrong(error.to_string()))?;
    read(&text).map_err(wrong)
}

fn read<C: Named>(text: &str) -> Result<C, String> {
    let given: Map<String, Value> = serde_json::from_str(text)
        .map_err(|error| format!("not a JSON object of costs by name: {error}"))?;
    let mut costs = C::default();
    for (name, value) in &given {
        let mut fields = costs.fields();
        let names: Vec<&str> = fields.iter().map(|field| field.name).collect();
        let Some(at) = names.iter().position(|known| known == name) else {
            let hint = match nearest(name, names.iter().copied()) {
                Some(near) => format!("did you mean {near}? "),
                None => String::new(),
            };
            return Err(format!(
                "there is no cost '{}'; {hint}choose from {}",
                name.escape_debug(),
                names.join(", ")
            ));
        };
        *fields[at].value = value
            .as_f64()
            .filter(|ns| (0.0..=1e9).contains(ns))
            .ok_or_else(|| {
                format!("the cost {name} is {value}, and not nanoseconds from 0 to 1e9")
            })?;
    }
    Ok(costs)
}

/// Returns the costs as JSON.
pub(super) fn as_json<C: Named>(costs: &C) -> Map<String, Value> {
    costs
        .clone()
        .fields()
        .into_iter()
        .map(|field| (field.name.to_owned(), Value::from(*field.value)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_file_leaves_out_stays() {
        let costs: Costs = read(r#"{"fork": 3.5, "look": 0}"#).unwrap();
        assert_eq!((costs.fork, costs.look), (3.5, 0.0));
        assert_eq!(costs.wake, Costs::default().wake);
        let text = serde_json::to_string(&as_json(&costs)).unwrap();
        assert_eq!(read::<Costs>(&text).unwrap(), costs);
    }

    #[test]
    fn wrong_files_are_refused_in_a_line() {
        for (text, part) in [
            ("", "JSON object"),
            ("[1]", "JSON object"),
            (r#"{"frok": 1}"#, "did you mean fork?"),
            (r#"{"fork": "much"}"#, "nanoseconds"),
            (r#"{"fork": -1}"#, "nanoseconds"),
            (r#"{"fork": 1e10}"#, "nanoseconds"),
        ] {
            let error = read::<Costs>(text).unwrap_err();
            assert!(error.contains(part) && !error.contains('\n'), "{error}");
        }
    }
}
