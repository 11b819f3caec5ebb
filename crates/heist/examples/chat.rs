//! A chat over TCP: tokio waits for the sockets, and Heist searches the history.
//!
//! Each line of a client goes to all clients. The server answers `/find WORD` with the number of
//! lines that contain the word, and the last ten of these lines. `cargo run --release -p heist
//! --example chat -- 127.0.0.1:7000` starts the server, and `nc 127.0.0.1 7000` a client.

use heist::par::prelude::*;
use std::io;
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc::{self, Sender};

type Line = Arc<str>;

/// The state that all clients share.
#[derive(Default)]
pub struct Chat {
    said: Mutex<Vec<Line>>,
    clients: Mutex<Vec<Sender<Line>>>,
}

impl Chat {
    /// Sends a line to all clients. A client that has not read the last 64 lines leaves the list.
    pub fn say(&self, line: &str) {
        let line = Line::from(line);
        let mut clients = self.clients.lock().unwrap();
        clients.retain(|client| client.try_send(Arc::clone(&line)).is_ok());
        self.said.lock().unwrap().push(line);
    }

    /// Returns the lines that contain `word`. The search runs in parallel, and does not depend on tokio.
    fn find(&self, word: &str) -> Vec<Line> {
        let said = self.said.lock().unwrap().clone();
        said.into_par().filter(|line| line.contains(word)).collect()
    }

    /// Serves one client until it hangs up.
    async fn serve(self: Arc<Self>, stream: TcpStream) {
        let (read, mut write) = stream.into_split();
        let (client, mut lines) = mpsc::channel::<Line>(64);
        tokio::spawn(async move {
            while let Some(line) = lines.recv().await {
                // If this fails because the client has hung up, the loop below ends.
                let _ = write.write_all(format!("{line}\n").as_bytes()).await;
            }
        });
        self.clients.lock().unwrap().push(client.clone());
        let mut read = BufReader::new(read).lines();
        while let Ok(Some(line)) = read.next_line().await {
            let Some(word) = line.strip_prefix("/find ").map(str::to_owned) else {
                self.say(&line);
                continue;
            };
            let chat = Arc::clone(&self);
            let search = heist::spawn(move || chat.find(&word)); // the crossing: it is a future
            let Ok(found) = search.await else { break };
            let _ = client.send(format!("{} found", found.len()).into()).await;
            for line in &found[found.len().saturating_sub(10)..] {
                let _ = client.send(Arc::clone(line)).await;
            }
        }
        let is_other = |other: &Sender<Line>| !other.same_channel(&client);
        self.clients.lock().unwrap().retain(is_other);
    }
}

/// Serves all clients that connect.
pub async fn listen(chat: Arc<Chat>, listener: TcpListener) -> io::Result<()> {
    loop {
        tokio::spawn(Arc::clone(&chat).serve(listener.accept().await?.0));
    }
}

/// Runs the example.
pub fn main() -> io::Result<()> {
    let address = std::env::args().nth(1).unwrap_or("127.0.0.1:7000".into());
    let tokio = tokio::runtime::Runtime::new()?;
    tokio.block_on(async { listen(Arc::default(), TcpListener::bind(address).await?).await })
}
