//! Finds the variables of enclosing functions that each function needs.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use super::survey::{Owner, Survey, within_group};
use crate::anf::{Program, Rep, Var};

/// The variables that functions capture, and the variables of their closures.
#[derive(Debug)]
pub struct Captures {
    /// For each function, the variables that it captures. Pointers come first, as in the function's closure.
    pub of: Vec<Vec<Var>>,
    /// The variables of closures, keyed by the numbers of their functions. Code makes each of these closures where the closure's function
    /// is defined.
    pub closures: FxHashMap<usize, Var>,
    /// The numbers of functions, keyed by the variable of the function's closure.
    pub function: FxHashMap<Var, usize>,
}

/// Finds the variables that each function captures.
pub fn solve(program: &mut Program, survey: &Survey) -> Captures {
    let count = survey.functions.len();
    let closures: FxHashMap<usize, Var> = (0..count)
        .filter(|number| survey.functions[*number].escapes)
        .map(|number| {
            let name = program.vars[survey.functions[number].name.0 as usize].name;
            (number, program.fresh(Rep::Ptr, name.as_str()))
        })
        .collect();
    let function_of: FxHashMap<Var, usize> = closures
        .iter()
        .map(|(number, var)| (*var, *number))
        .collect();
    // Returns true if the function `number` must capture `var`.
    let foreign = |var: Var, number: usize| -> bool {
        if let Some(function) = function_of.get(&var) {
            return !survey.functions[*function].once
                && survey.functions[*function].home != Some(number);
        }
        !survey.once.contains_key(&var) && survey.owners.get(&var) != Some(&Some(number))
    };
    let mut of: Vec<BTreeSet<Var>> = (0..count)
        .map(|number| {
            survey.functions[number]
                .uses
                .iter()
                .copied()
                .filter(|var| foreign(*var, number))
                .collect()
        })
        .collect();
    // For each function, the other functions whose captures depend on the captures of this function: its callers and users, and the
    // enclosing function.
    let mut users: Vec<Vec<usize>> = vec![Vec::new(); count];
    for (number, function) in survey.functions.iter().enumerate() {
        for other in function.calls.iter().chain(&function.values) {
            users[*other].push(number);
        }
        if let Owner::Some(home) = function.home {
            users[number].push(home);
        }
    }
    let mut waiting: Vec<usize> = (0..count).rev().collect();
    while let Some(number) = waiting.pop() {
        let function = &survey.functions[number];
        let mut more: Vec<Var> = Vec::new();
        for other in function.calls.iter().chain(&function.inner) {
            more.extend(
                of[*other]
                    .iter()
                    .copied()
                    .filter(|var| foreign(*var, number)),
            );
        }
        for other in &function.values {
            if within_group(survey, Some(number), *other) {
                more.extend(
                    of[*other]
                        .iter()
                        .copied()
                        .filter(|var| foreign(*var, number)),
                );
            } else if !of[*other].is_empty()
                && let Some(&closure) = closures.get(other)
                && foreign(closure, number)
            {
                more.push(closure);
            }
        }
        let before = of[number].len();
        of[number].extend(more);
        if of[number].len() > before {
            waiting.extend(&users[number]);
            // If the function's closure is no longer static, functions inside of the functions that use it may have to capture the closure.
            waiting.push(number);
        }
    }
    let of = of
        .into_iter()
        .map(|needs| {
            let (mut pointers, others): (Vec<Var>, Vec<Var>) = needs
                .into_iter()
                .partition(|var| program.vars[var.0 as usize].rep == Rep::Ptr);
            pointers.extend(others);
            pointers
        })
        .collect();
    Captures {
        of,
        closures,
        function: function_of,
    }
}
