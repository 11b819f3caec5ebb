//! Shares the CPUs with the other jobs of `make -j`, through GNU make's jobserver. The program uses one worker for its own
//! job, and one more worker for each token that it gets. In the makefile, the line of the command begins with a tab.
//!
//! ```make
//! all:
//!     +cargo run --release -p heist --example jobserver
//! ```

#[cfg(target_os = "linux")]
mod linux {
    use heist::Pool;
    use heist::par::prelude::*;
    use std::fs::{File, OpenOptions};
    use std::io::{self, Read, Write};
    use std::os::unix::fs::OpenOptionsExt;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::thread;
    use std::time::Duration;

    /// Make's pipe of tokens.
    struct Jobserver {
        tokens: File,
        back: File,
    }

    impl Jobserver {
        /// Returns the jobserver that the environment names, if any. The environment names a jobserver by `--jobserver-auth=fifo:PATH`, or
        /// by `--jobserver-auth=R,W` with two descriptors.
        fn from_env() -> io::Result<Option<Jobserver>> {
            let flags = std::env::var("MAKEFLAGS").unwrap_or_default();
            let mut all = flags.split_whitespace().rev();
            let Some(auth) = all.find_map(|flag| flag.strip_prefix("--jobserver-auth=")) else {
                return Ok(None);
            };
            let (read, write) = match (auth.strip_prefix("fifo:"), auth.split_once(',')) {
                (Some(path), _) => (path.to_owned(), path.to_owned()),
                (None, Some((read, write))) => {
                    (format!("/dev/fd/{read}"), format!("/dev/fd/{write}"))
                }
                (None, None) => return Ok(None),
            };
            // The pipe is opened again in non-blocking mode, so that other readers of make's pipe still block
            // until they get their tokens.
            const O_NONBLOCK: i32 = 0o4000;
            let tokens = OpenOptions::new()
                .read(true)
                .custom_flags(O_NONBLOCK)
                .open(read)?;
            let back = OpenOptions::new().write(true).open(write)?;
            Ok(Some(Jobserver { tokens, back }))
        }

        /// Takes a token, if a token is free.
        fn take(&self) -> io::Result<Option<u8>> {
            let mut token = [0];
            match (&self.tokens).read(&mut token) {
                Ok(0) => Ok(None),
                Ok(_) => Ok(Some(token[0])),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(None),
                Err(error) => Err(error),
            }
        }

        /// Runs `work` with a worker of the pool for each token that is free at that time, and then gives the tokens back.
        fn run<R>(&self, pool: &Pool, work: impl FnOnce() -> R) -> io::Result<R> {
            let over = AtomicBool::new(false);
            thread::scope(|scope| {
                let taker = scope.spawn(|| -> io::Result<usize> {
                    let mut held = Vec::new();
                    let outcome = loop {
                        if over.load(Ordering::Acquire) {
                            break Ok(held.len());
                        }
                        match self.take() {
                            Ok(Some(token)) => {
                                held.push(token);
                                pool.resize(1 + held.len());
                            }
                            Ok(None) => thread::sleep(Duration::from_millis(5)),
                            Err(error) => break Err(error),
                        }
                        while held.len() + 1 >= pool.threads() && !over.load(Ordering::Acquire) {
                            thread::sleep(Duration::from_millis(5));
                        }
                    };
                    pool.resize(1);
                    (&self.back).write_all(&held)?;
                    outcome
                });
                let result = work();
                over.store(true, Ordering::Release);
                let held = taker.join().expect("it does not panic")?;
                println!("{held} tokens were held at the end");
                Ok(result)
            })
        }
    }

    pub(crate) fn main() -> Result<(), Box<dyn std::error::Error>> {
        let most = thread::available_parallelism()?.get();
        let pool = Pool::builder().threads(1).max_threads(most).build()?;
        let primes = || -> usize {
            let is_prime = |&n: &u32| (2..).take_while(|d| d * d <= n).all(|d| n % d != 0);
            pool.install(|| (2..1_000_000_u32).par().filter(|n| is_prime(n)).count())
        };
        let found = match Jobserver::from_env()? {
            Some(jobserver) => jobserver.run(&pool, primes)?,
            None => {
                println!("no jobserver: one worker");
                primes()
            }
        };
        println!("{found} primes");
        assert_eq!(found, 78_498);
        Ok(())
    }
}

#[cfg(target_os = "linux")]
pub(crate) fn main() -> Result<(), Box<dyn std::error::Error>> {
    linux::main()
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn main() {
    println!("this example opens make's pipe as Linux does");
}
