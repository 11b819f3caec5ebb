//! Threads of the program's own that are workers while they do something else.

use super::carrier::{Carrier, Context};
use super::crew::Crew;
use super::hot::hot;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{Ordering, compiler_fence};

/// Makes the current thread the first worker of that crew, for good. It runs jobs only where it waits.
///
/// # Errors
/// If there is no memory for its deques.
pub(super) fn adopt(crew: &Arc<Crew>) -> io::Result<()> {
    let hot = hot();
    assert!(
        hot.carrier().is_none(),
        "heist: this thread is a worker already"
    );
    let carrier = match Carrier::for_current_thread(crew, 0, 0, hot) {
        Ok(carrier) => crew.enlist(carrier),
        Err(error) => {
            crew.lose(0, 0, io::Error::new(error.kind(), error.to_string()));
            return Err(error);
        }
    };
    crew.count_adopted();
    hot.attach(&carrier.forks, carrier.protocol.sharing());
    // A signal's handler that finds the carrier finds all that belongs to it.
    compiler_fence(Ordering::SeqCst);
    hot.carrier.set(carrier);
    // It never comes to have nothing on its stack.
    hot.context.set(Context::ELSEWHERE);
    // What it does is its own business, for which no closing pool waits; nor does it search.
    carrier.activity.end();
    crew.idle.stop_searching(&**crew);
    // The words of this thread point to it.
    std::mem::forget(Arc::clone(crew));
    Ok(())
}
