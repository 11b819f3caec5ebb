//! Measurement of searches that are cancelled, in paired rounds, for `cancel-5.7` and `cancel-5.8`.

use heist::Pool;
use rand::SeedableRng;
use rand::rngs::StdRng;
use rand::seq::SliceRandom;

use super::search::{self, End, Form};
use super::{Language, MORE, Plan, SEARCH, Sample, programs};
use crate::failure::Failure;
use crate::interrupt;
use crate::progress::Progress;
use crate::stats::{Spread, median};

/// The rounds of one kind of search on one number of workers.
pub(super) struct Row {
    pub(super) language: Language,
    pub(super) form: &'static str,
    pub(super) end: End,
    pub(super) workers: usize,
    pub(super) samples: Vec<Sample>,
}

impl Row {
    fn seconds(&self) -> Vec<f64> {
        self.samples.iter().map(|sample| sample.seconds).collect()
    }

    pub(super) fn spread(&self) -> Option<Spread> {
        Spread::of(&self.seconds())
    }

    /// Returns the mean and the standard deviation of the time, which the thesis shows.
    pub(super) fn mean_and_deviation(&self) -> (f64, f64) {
        mean_and_deviation(&self.seconds())
    }

    /// Returns the median number of tasks that were cancelled.
    pub(super) fn tasks(&self) -> Option<f64> {
        let tasks: Vec<f64> = self.samples.iter().map(|sample| sample.tasks).collect();
        median(&tasks)
    }

    /// Divides the time of each round by the round's number of cancelled tasks, and returns the median of these quotients, in seconds.
    pub(super) fn per_task(&self) -> Option<f64> {
        let each = |sample: &Sample| (sample.tasks > 0.0).then(|| sample.seconds / sample.tasks);
        let times: Vec<f64> = self.samples.iter().filter_map(each).collect();
        median(&times)
    }

    /// Returns the name of the line in a chart.
    pub(super) fn label(&self) -> String {
        format!("{}, {}", self.language.name(), self.form)
    }
}

fn mean_and_deviation(values: &[f64]) -> (f64, f64) {
    let count = values.len().max(1) as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares = values.iter().map(|value| (value - mean).powi(2));
    let deviation = (squares.sum::<f64>() / (count - 1.0).max(1.0)).sqrt();
    (mean, deviation)
}

/// Runs all rounds, after one uncounted warm-up round.
pub(super) fn measure(plan: &Plan, pools: &[Pool]) -> Result<Vec<Row>, Failure> {
    let mut rows = Vec::new();
    let mut cells = Vec::new();
    for end in End::ALL {
        for form in Form::ALL {
            for pool in pools {
                cells.push((rows.len(), form, pool));
                rows.push(Row {
                    language: Language::Rust,
                    form: form.name(),
                    end,
                    workers: pool.threads(),
                    samples: Vec::new(),
                });
            }
        }
    }
    let of_pml = if plan.languages().contains(&Language::Pml) {
        plan.workers.len()
    } else {
        0
    };
    let progress = Progress::new((cells.len() + of_pml) * (plan.runs + 1));
    let mut rng = StdRng::seed_from_u64(plan.seed);
    for round in interrupt::rounds(plan.runs + 1) {
        cells.shuffle(&mut rng);
        for &(at, form, pool) in &cells {
            let row = &mut rows[at];
            progress.running("n-queens", row.form, row.workers);
            let time = SEARCH + MORE * round as u32;
            let sample = search::measure(pool, form, row.end, plan.n as u32, time);
            if round > 0 {
                row.samples.push(sample);
            }
        }
    }
    progress.skip_to_program_end(cells.len() * (plan.runs + 1));
    if of_pml > 0 && !interrupt::is_stopping() {
        // Only `Cancel.cancel` waits until all branches have ended: `por` returns while the losing branches still
        // run.
        for &workers in &plan.workers {
            progress.running("n-queens", Language::Pml.name(), workers);
            rows.push(Row {
                language: Language::Pml,
                form: "por",
                end: End::Cancel,
                workers,
                samples: programs::queens(plan, workers)?,
            });
            progress.skip_to_program_end(plan.runs + 1);
        }
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_deviations_and_times_of_tasks() {
        let sample = |(seconds, tasks)| Sample { seconds, tasks };
        let row = Row {
            language: Language::Rust,
            form: "race",
            end: End::Cancel,
            workers: 2,
            samples: [(1.0, 2.0), (3.0, 0.0), (5.0, 4.0)].map(sample).into(),
        };
        assert_eq!(row.mean_and_deviation(), (3.0, 2.0));
        assert_eq!(row.tasks(), Some(2.0));
        // A round without tasks has no time per task. The times per task of the other two rounds are 1/2 and 5/4.
        assert_eq!(row.per_task(), Some(0.875));
        assert_eq!(mean_and_deviation(&[7.0]), (7.0, 0.0));
    }
}
