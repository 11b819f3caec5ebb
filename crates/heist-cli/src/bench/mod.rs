//! `heist bench` measures programs on Heist and on its rivals, in paired rounds.

mod args;

use std::sync::{Arc, Mutex, PoisonError};

use heist_suite::Contender;

use crate::busy;
use crate::csv;
use crate::failure::Failure;
use crate::interrupt;
use crate::json;
use crate::machine::Machine;
use crate::measure::{self, Outcome};
use crate::outfile::{self, Outfile};
use crate::plan::{Plan, Rounds, cpus_for, default_threads};
use crate::say;
use crate::select::select;
use crate::table;

pub(crate) use args::Bench;

/// Measures programs on Heist and on its rivals.
pub(crate) fn run(args: &Bench) -> Result<(), Failure> {
    let plan = Arc::new(plan(args)?);
    // The command opens both files before the measurement, so that it reports a missing folder immediately and not after an hour.
    let (json, csv) = outfile::pair(args.json.as_deref(), args.csv.as_deref())?;
    let ending = Ending {
        // The machine is described before the threads are pinned, because this thread sees fewer CPUs afterwards.
        machine: Machine::detect()?,
        plan: Arc::clone(&plan),
        others: busy::others(),
        shows_table: !outfile::is_standard_output(args.json.as_deref())
            && !outfile::is_standard_output(args.csv.as_deref()),
        json,
        csv,
    };
    let ending = Arc::new(Mutex::new(ending));
    let so_far = measure::SoFar::default();
    let (at_once, measured) = (Arc::clone(&ending), so_far.clone());
    interrupt::before_the_end(move || {
        let mut ending = at_once.lock().unwrap_or_else(PoisonError::into_inner);
        if let Err(failure) = ending.write(&measured.look(), false) {
            failure.report();
        }
    });
    measure::measure_into(&plan, &so_far)?;
    let mut ending = ending.lock().unwrap_or_else(PoisonError::into_inner);
    interrupt::forget();
    ending.write(&so_far.look(), true)
}

/// Returns the plan that the options describe.
fn plan(args: &Bench) -> Result<Plan, Failure> {
    let threads = match &args.threads {
        Some(list) => {
            let mut threads = list.0.clone();
            threads.sort_unstable();
            threads
        }
        None => default_threads()?,
    };
    let contenders = Contender::all()
        .filter(|&who| who == Contender::Heist || args.vs.0.contains(&who))
        .collect();
    let most = threads.last().copied().unwrap_or(1);
    let pin = if args.pin {
        Some(cpus_for(most)?)
    } else {
        None
    };
    Ok(Plan {
        programs: select(&args.names)?,
        size: args.size,
        threads,
        contenders,
        rounds: Rounds::Exactly(args.runs),
        pin,
        seed: rand::random(),
    })
}

/// The data and files with which the command shows and saves the results of measured programs.
struct Ending {
    machine: Machine,
    plan: Arc<Plan>,
    others: Option<f64>,
    shows_table: bool,
    json: Option<Outfile>,
    csv: Option<Outfile>,
}

impl Ending {
    /// Prints the table, and writes the results to the files. `complete` is false if Ctrl-C has ended
    /// the measurement.
    fn write(&mut self, outcomes: &[Outcome], complete: bool) -> Result<(), Failure> {
        if self.shows_table {
            let colours = say::colours_on_stdout();
            say::out(&table::render(outcomes, self.others, colours))?;
        }
        if let Some(file) = &mut self.json {
            let (plan, others) = (&self.plan, self.others);
            file.fill(&json::render(
                &self.machine,
                plan,
                outcomes,
                others,
                complete,
            )?)?;
        }
        if let Some(file) = &mut self.csv {
            file.fill(&csv::render(outcomes)?)?;
        }
        Ok(())
    }
}
