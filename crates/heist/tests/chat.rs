//! Tests the chat server with several clients. The file also measures the time of a switch between the two runtimes.
#![cfg(not(any(miri, heist_model)))]

#[path = "../examples/chat.rs"]
#[allow(dead_code, unreachable_pub, reason = "a program")]
mod chat;

use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::net::TcpListener;
use tokio::runtime::{Builder, Runtime};

fn tokio() -> Runtime {
    let mut tokio = Builder::new_multi_thread();
    tokio.worker_threads(1).enable_all().build().unwrap()
}

struct Client(BufReader<TcpStream>);

impl Client {
    fn new(server: SocketAddr) -> Self {
        let stream = TcpStream::connect(server).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_secs(60)))
            .unwrap();
        Client(BufReader::new(stream))
    }

    fn send(&mut self, line: &str) {
        // The line is sent in a single write. Of two short writes, the kernel would hold back the second one for 40 ms.
        let line = format!("{line}\n");
        self.0.get_mut().write_all(line.as_bytes()).unwrap();
    }

    fn read(&mut self) -> String {
        let mut line = String::new();
        self.0.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }
}

#[test]
fn lines_reach_all_clients_and_are_found() {
    let tokio = tokio();
    let chat = Arc::<chat::Chat>::default();
    for i in 0..10_000 {
        chat.say(&format!("line {i}"));
    }
    let listener = tokio.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
    let server = listener.local_addr().unwrap();
    tokio.spawn(chat::listen(Arc::clone(&chat), listener));

    let (mut ann, mut bob) = (Client::new(server), Client::new(server));
    // When a client has received an answer, it is in the server's list.
    for client in [&mut ann, &mut bob] {
        client.send("/find nothing");
        assert_eq!(client.read(), "0 found");
    }
    ann.send("good morning");
    assert_eq!(
        (ann.read(), bob.read()),
        ("good morning".into(), "good morning".into())
    );
    bob.send("/find 99");
    assert_eq!(bob.read(), "280 found");
    let last: Vec<String> = (0..10).map(|_| bob.read()).collect();
    assert_eq!(last[9], "line 9999");
    bob.send("/find morning");
    assert_eq!(
        (bob.read(), bob.read()),
        ("1 found".into(), "good morning".into())
    );
    // After a client has left, the other clients can still talk.
    drop(ann);
    for i in 0..200 {
        bob.send(&format!("alone {i}"));
        assert_eq!(bob.read(), format!("alone {i}"));
    }
}

/// Measures a switch between the two runtimes: `cargo test --release -p heist --test chat crossing -- --ignored --nocapture`
#[test]
#[ignore = "a measurement"]
fn crossing() {
    const ROUNDS: u32 = 2000;
    let tokio = tokio();
    let median = |mut times: Vec<Duration>| {
        times.sort();
        times[times.len() / 2]
    };
    for apart in [Duration::ZERO, Duration::from_micros(500)] {
        let times = tokio.block_on(tokio.spawn(async move {
            let mut times = [const { Vec::new() }; 3];
            for _ in 0..ROUNDS {
                let since = Instant::now();
                heist::spawn(|| 1).await.unwrap();
                times[0].push(since.elapsed());
                tokio::time::sleep(apart).await;
                let since = Instant::now();
                tokio::task::spawn_blocking(|| 1).await.unwrap();
                times[1].push(since.elapsed());
                tokio::time::sleep(apart).await;
                let since = Instant::now();
                tokio::spawn(async { 1 }).await.unwrap();
                times[2].push(since.elapsed());
                tokio::time::sleep(apart).await;
            }
            times
        }));
        let [heist, blocking, plain] = times.unwrap().map(median);
        println!(
            "from a task of tokio and back, {apart:?} apart: heist::spawn {heist:?}, spawn_blocking {blocking:?}, tokio::spawn {plain:?}"
        );
    }
}
