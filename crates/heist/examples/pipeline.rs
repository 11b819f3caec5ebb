//! A pipeline with bounded queues: one stage reads lines, the pool computes the lines' checksums in
//! parallel, and the last stage writes the results in the order of the lines. A full queue suspends
//! the stage before it, so memory stays bounded.
//!
//! ```text
//! cargo run --release -p heist --example pipeline <Cargo.lock
//! ```

use heist::sync::channel;
use std::io::BufRead;
use std::sync::Arc;

/// The maximum number of lines in a queue between two stages.
const QUEUE: usize = 16;

/// Computes FNV-1a many times, as a substitute for real work.
pub fn checksum(line: &str) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for _ in 0..100 {
        for byte in line.bytes() {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
    hash
}

/// Calls `write` with each line and its checksum, in order.
pub fn run(
    pool: &Arc<heist::Pool>,
    lines: impl Iterator<Item = String>,
    mut write: impl FnMut(&str, u64) + Send + 'static,
) {
    let (to_check, lines_in) = channel::<String>(QUEUE);
    let (to_write, checked) = channel(QUEUE);
    let workers = Arc::clone(pool);
    let check = pool.spawn_async(async move {
        while let Ok(line) = lines_in.recv_async().await {
            // The handle is sent immediately, so many checksums are computed at the same time, and
            // the handles keep the order.
            let sum = workers.spawn(move || (checksum(&line), line));
            if to_write.send_async(sum).await.is_err() {
                return;
            }
        }
    });
    let written = pool.spawn_async(async move {
        while let Ok(sum) = checked.recv_async().await {
            let (sum, line) = sum.await.expect("checksums do not panic");
            write(&line, sum);
        }
    });
    for line in lines {
        to_check
            .send(line)
            .expect("the stage reads until this end is dropped");
    }
    drop(to_check);
    check.get();
    written.get();
}

/// Runs the example.
pub fn main() -> Result<(), heist::BuildError> {
    let pool = Arc::new(heist::Pool::new(2)?);
    let lines = std::io::stdin().lock().lines().map_while(Result::ok);
    run(&pool, lines, |line, sum| println!("{sum:016x} {line}"));
    Ok(())
}
