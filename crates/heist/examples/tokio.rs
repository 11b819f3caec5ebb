//! Heist below tokio: requests wait on tokio's threads, and a pool computes the answers.
//!
//! The threads of an async executor should wait, not compute. A computation of 50 ms on an executor's thread delays all other tasks of the
//! thread, including their timers and sockets. So a request passes its computation to a pool by `spawn`. The handle that `spawn` returns is
//! a future: the request can await it, race it against a timer, or drop it. A panic of the computation becomes an error of the request.
//!
//! ```text
//! cargo run -p heist --example tokio
//! ```

use heist::Pool;
use heist::par::prelude::*;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;

/// A client's question.
#[derive(Clone, Copy, Debug)]
enum Question {
    /// A question for the number of primes below the given number.
    PrimesBelow(u32),
    /// A question for a computation that panics.
    Bug,
    /// A question for a computation that takes longer than the time limit.
    Forever,
}

/// The reason why there is no answer.
#[derive(Debug, PartialEq, Eq)]
enum Failure {
    TimedOut,
    Panicked(String),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::TimedOut => f.write_str("it took too long"),
            Failure::Panicked(why) => write!(f, "the server has a bug: {why}"),
        }
    }
}

type Answer = Result<usize, Failure>;

/// A question and the sender for its answer.
type Request = (Question, oneshot::Sender<Answer>);

/// Computes an answer: blocks the thread, runs in parallel, and does not depend on tokio.
fn compute(question: Question) -> usize {
    let is_prime = |n: &u32| *n >= 2 && (2..).take_while(|d| d * d <= *n).all(|d| n % d != 0);
    match question {
        Question::PrimesBelow(end) => (0..end).par().filter(is_prime).count(),
        Question::Bug => panic!("no such thing"),
        Question::Forever => {
            std::thread::sleep(Duration::from_secs(2));
            0
        }
    }
}

/// Answers one question, within the time `within`.
async fn answer(pool: &Pool, question: Question, within: Duration) -> Answer {
    match timeout(within, pool.spawn(move || compute(question))).await {
        Err(_elapsed) => Err(Failure::TimedOut), // the task goes on, and no caller waits for it
        Ok(Ok(answer)) => Ok(answer),
        Ok(Err(panic)) => {
            let text = panic.downcast_ref::<&str>().unwrap_or(&"a panic");
            Err(Failure::Panicked((*text).to_owned()))
        }
    }
}

/// Serves requests, all at the same time, until no client is left.
async fn serve(pool: Arc<Pool>, mut requests: mpsc::Receiver<Request>) -> usize {
    let mut served = 0;
    while let Some((question, reply)) = requests.recv().await {
        served += 1;
        let pool = Arc::clone(&pool);
        tokio::spawn(async move {
            // The send may fail, because the client may have stopped waiting.
            let _ = reply.send(answer(&pool, question, Duration::from_secs(1)).await);
        });
    }
    served
}

async fn ask(server: &mpsc::Sender<Request>, question: Question) -> Answer {
    let (reply, answer) = oneshot::channel();
    server.send((question, reply)).await.expect("it serves");
    answer.await.expect("it answers all")
}

/// Runs a server and its clients.
async fn session() -> Result<(), Box<dyn std::error::Error>> {
    let pool = Arc::new(Pool::new(2)?);
    let (server, requests) = mpsc::channel(16);
    let serving = tokio::spawn(serve(Arc::clone(&pool), requests));
    let slow = tokio::spawn({
        let server = server.clone();
        async move { ask(&server, Question::Forever).await }
    });
    for (question, right) in [
        (Question::PrimesBelow(100), Ok(25)),
        (Question::PrimesBelow(10_000), Ok(1229)),
        (
            Question::Bug,
            Err(Failure::Panicked("no such thing".to_owned())),
        ),
        (Question::PrimesBelow(0), Ok(0)),
    ] {
        let answer = ask(&server, question).await;
        match &answer {
            Ok(count) => println!("{question:?}: {count}"),
            Err(failure) => println!("{question:?}: {failure}"),
        }
        assert_eq!(answer, right);
    }
    assert_eq!(slow.await?, Err(Failure::TimedOut));
    drop(server);
    println!("{} requests", serving.await?);
    // The drop of the pool waits for the task that timed out, so it must not happen on a thread of the
    // executor.
    tokio::task::spawn_blocking(move || drop(pool)).await?;
    Ok(())
}

/// Runs the example.
pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    let tokio = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_time()
        .build()?;
    tokio.block_on(session())
}
