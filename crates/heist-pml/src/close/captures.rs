//! Finds the variables that each function needs of the functions around it.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use super::survey::{Owner, Survey, within_group};
use crate::anf::{Program, Rep, Var};

/// The variables that functions need.
#[derive(Debug)]
pub struct Captures {
    /// The variables that each function captures, by the function's number. Pointers come first, as in its closure.
    pub of: Vec<Vec<Var>>,
    /// The variable that holds a function's closure, for functions whose closure is made where they are
    /// defined.
    pub closures: FxHashMap<usize, Var>,
    /// The functions whose closures variables hold.
    pub function: FxHashMap<Var, usize>,
}

/// Finds the variables that each function needs.
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
    // Returns true if the function must receive `var` from outside.
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
    // For each function, those that must be looked at again when it needs more variables: its callers
    // and users, and the function around it.
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
            // If a closure is no longer static, the functions inside its users need it, too.
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
