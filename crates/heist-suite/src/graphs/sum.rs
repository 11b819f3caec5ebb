//! What several worklists did that one algorithm ran.

use heist::worklist::Report;

/// Adds what one more did.
pub(super) fn add(total: &mut Report, one: Report) {
    total.processed += one.processed;
    total.pushed += one.pushed;
    total.repeated += one.repeated;
    total.stolen += one.stolen;
    total.stopped |= one.stopped;
    if total.members.len() < one.members.len() {
        total
            .members
            .resize_with(one.members.len(), Default::default);
    }
    for (sum, member) in total.members.iter_mut().zip(one.members) {
        sum.processed += member.processed;
        sum.pushed += member.pushed;
        sum.stolen += member.stolen;
    }
}
