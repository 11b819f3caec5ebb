//! A service that waits and computes on the same workers: each request is an async task that waits for its input, gets one
//! of a few database connections, and then computes in parallel.
//!
//! ```text
//! cargo run --release -p heist --example server
//! ```

use heist::par::prelude::*;
use heist::sync::{Promise, Semaphore, channel, promise};
use std::sync::Arc;

/// A question, and the sender for its answer.
pub struct Request {
    below: u32,
    answer: Promise<usize>,
}

/// The state that all requests share.
struct Service {
    connections: Semaphore,
    pool: Arc<heist::Pool>,
}

impl Service {
    /// Answers one request: waits for a connection and for a value, and then computes.
    async fn handle(&self, request: Request) {
        let connection = self.connections.acquire_async(1).await; // at most two at a time
        let below = self.look_up(request.below).await;
        drop(connection);
        // This loop runs in parallel, so all workers may help.
        let is_prime = |n: &u32| *n >= 2 && (2..).take_while(|d| d * d <= *n).all(|d| n % d != 0);
        request
            .answer
            .set((0..below).par().filter(is_prime).count());
    }

    /// Waits for a value that another task sets later, as a substitute for a real query.
    async fn look_up(&self, below: u32) -> u32 {
        let (row, there) = promise();
        self.pool.spawn_detached(move || row.set(below));
        there.await
    }
}

/// Serves requests until no client is left. Returns the number of requests.
pub fn serve(pool: &Arc<heist::Pool>, clients: u32) -> usize {
    let (sender, requests) = channel::<Request>(8);
    let service = Arc::new(Service {
        connections: Semaphore::new(2),
        pool: Arc::clone(pool),
    });
    let workers = Arc::clone(pool);
    let server = pool.spawn_async(async move {
        let mut handled = Vec::new();
        while let Ok(request) = requests.recv_async().await {
            let service = Arc::clone(&service);
            handled.push(workers.spawn_async(async move { service.handle(request).await }));
        }
        for task in &handled {
            task.await;
        }
        handled.len()
    });
    let ask = |below| {
        let (answer, received) = promise();
        sender.send(Request { below, answer }).expect("it serves");
        received
    };
    let answers: Vec<_> = (0..clients).map(|client| ask(100 * client)).collect();
    assert_eq!(*answers[1].get(), 25); // primes below 100
    drop(sender);
    *server.get()
}

/// Runs the example.
pub fn main() -> Result<(), heist::BuildError> {
    let pool = Arc::new(heist::Pool::new(2)?);
    println!("{} requests served", serve(&pool, 100));
    Ok(())
}
