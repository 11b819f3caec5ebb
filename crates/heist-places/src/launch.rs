//! Places as processes: the launcher, and the connections between the processes.

use std::env;
use std::fs::{self, DirBuilder, File};
use std::io::{self, Read, Write};
use std::os::unix::fs::DirBuilderExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::os::unix::process::ExitStatusExt;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::process::{self, Child, Command};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use crate::run::run_on;
use crate::transport::sockets::{Launcher, Sockets};
use crate::transport::threads;
use crate::{PlaceError, World, nodes, say};

/// The environment variable with the number of places.
const PLACES: &str = "HEIST_PLACES";
/// The environment variable with the number of workers of each place.
const WORKERS: &str = "HEIST_PLACES_WORKERS";
/// The environment variable with the CPUs to which the launcher binds places: `nodes`, `none`, or groups of CPUs.
const BIND: &str = "HEIST_PLACES_BIND";
/// The environment variable with the index of a process's place. The launcher sets it.
const HERE: &str = "HEIST_PLACE";
/// The environment variable with the folder of the sockets. The launcher sets it.
const FOLDER: &str = "HEIST_PLACES_DIR";
/// The maximum time that a place waits until another place has started.
const PATIENCE: Duration = Duration::from_secs(60);
/// The name of the file that the launcher makes when a place has failed.
const FAILED: &str = "failed";
/// The first bytes on each connection.
const MAGIC: [u8; 8] = *b"heistpl1";

/// Runs `body` at this process's place, and serves the other places until all places have ended.
///
/// With `HEIST_PLACES=4` in the environment, the process starts four copies of its program with its own arguments. In the first process,
/// `run` does not return: the process waits for the other four processes. If places fail, the first process ends with the status of the
/// failed place with the smallest index, and otherwise with 0. Without the variable `HEIST_PLACES`, the program has one place, which is
/// this process. `HEIST_PLACES_WORKERS` is the number of workers of each place. By default the places share the processors.
///
/// On Linux, if the process may use CPUs of several NUMA nodes, the launcher binds places to nodes in blocks: place `i` of `n` runs on node
/// `i * nodes / n`. If the program has fewer places than the machine has nodes, place `i` also runs on all nodes up to the node of the next
/// place. With `HEIST_PLACES_BIND=none`, each place may use all CPUs. `HEIST_PLACES_BIND=0-3/4-7` binds places to these groups of CPUs in
/// place of nodes. A program with a single place does not bind this place.
///
/// ```no_run
/// # use heist_places::World;
/// let total = heist_places::run(|world: World| world.reduce(1, |a, b| a + b).wait().unwrap());
/// println!("{} places", total.unwrap());
/// ```
///
/// Processes of different builds refuse to connect: the program ends with a line that reports the difference. The program also ends if the
/// places cannot connect to each other.
///
/// # Errors
/// Returns an error if the body has started a task outside of any [`finish`](World::finish), and this task panics or its place dies.
///
/// # Panics
/// Rethrows a panic of the body, after the other places have ended.
pub fn run<R: Send>(body: impl FnOnce(World) -> R + Send) -> Result<R, PlaceError> {
    let places = number(PLACES).unwrap_or(1);
    let workers = number(WORKERS)
        .unwrap_or_else(|| heist::default_threads().map_or(1, |threads| (threads / places).max(1)));
    if let Some(here) = number_from(HERE, 0) {
        if here >= places {
            fail(&format!("{HERE}={here} is not below {PLACES}={places}"));
        }
        let sockets = connect(here, places).unwrap_or_else(|message| fail(&message));
        return run_on(Arc::new(sockets), workers, body);
    }
    if places > 1 {
        process::exit(launch(places).unwrap_or_else(|error| fail(&error.to_string())));
    }
    let Some(transport) = threads::connect(1).pop() else {
        fail("no place");
    };
    run_on(Arc::new(transport), workers, body)
}

fn fail(message: &str) -> ! {
    say(format_args!("{message}"));
    process::exit(1);
}

fn number(variable: &str) -> Option<usize> {
    number_from(variable, 1)
}

fn number_from(variable: &str, least: usize) -> Option<usize> {
    let text = env::var(variable).ok().filter(|text| !text.is_empty())?;
    match text.parse() {
        Ok(number) if number >= least => Some(number),
        _ => fail(&format!(
            "{variable}={text} is not a number of at least {least}"
        )),
    }
}

/// Starts `places` copies of the program and waits for all of them. Returns the exit status of the failed place with the smallest index, or
/// 0 if no place failed.
fn launch(places: usize) -> io::Result<i32> {
    // The folder of an earlier process may have the same process number, so the launcher tries several names. Only the user who runs the
    // program may connect.
    let mut attempts = 0..100;
    let folder = loop {
        let attempt = attempts.next().unwrap_or_default();
        let folder = env::temp_dir().join(format!("heist-places-{}-{attempt}", process::id()));
        match DirBuilder::new().mode(0o700).create(&folder) {
            Ok(()) => break folder,
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && !attempts.is_empty() => {}
            Err(error) => return Err(error),
        }
    };
    let status = launch_in(&folder, places);
    // The folder may be gone already, because the launcher removes the folder when all places are connected.
    clean(&folder, places);
    status
}

fn launch_in(folder: &Path, places: usize) -> io::Result<i32> {
    // Through their connections to this socket, the places notice when this process dies.
    let listener = UnixListener::bind(folder.join("launcher"))?;
    let sockets = folder.to_owned();
    thread::spawn(move || {
        let mut kept: Vec<_> = listener.incoming().take(places).flatten().collect();
        // Each place writes a byte when it is connected. After that the launcher removes the folder, so that no folder is left if a signal
        // ends all processes at the same time.
        if kept.len() == places
            && kept
                .iter_mut()
                .all(|place| place.read_exact(&mut [0]).is_ok())
        {
            clean(&sockets, places);
        }
        thread::park();
    });
    let program = env::current_exe()?;
    let bound = Bound::new(places)?;
    let mut children: Vec<Child> = Vec::new();
    for place in 0..places {
        let mut command = Command::new(&program);
        command
            .args(env::args_os().skip(1))
            .env(PLACES, places.to_string());
        command.env(HERE, place.to_string()).env(FOLDER, folder);
        match bound.spawn(place, command) {
            Ok(child) => children.push(child),
            Err(error) => {
                // Otherwise the running places would wait for the places that do not start.
                for mut child in children {
                    let _ = child.kill();
                    let _ = child.wait();
                }
                return Err(error);
            }
        }
    }
    let waits: Vec<_> = children
        .into_iter()
        .enumerate()
        .map(|(place, child)| {
            let mark = folder.join(FAILED);
            thread::spawn(move || wait(place, child, &mark))
        })
        .collect();
    let mut failed = 0;
    for wait in waits {
        let code = wait.join().unwrap_or(Ok(1))?;
        if failed == 0 {
            failed = code;
        }
    }
    Ok(failed)
}

/// The CPUs and the number of workers of each place. Both lists are empty if the places are not bound.
struct Bound {
    cpus: Vec<nodes::Cpus>,
    workers: Vec<usize>,
    /// True if the user has listed the CPUs.
    listed: bool,
}

impl Bound {
    fn new(places: usize) -> io::Result<Self> {
        let request = env::var(BIND).ok().filter(|text| !text.is_empty());
        let allowed = nodes::allowed();
        let sysfs = Path::new(nodes::SYSFS);
        let cpus = nodes::plan(request.as_deref(), sysfs, allowed.as_deref(), places);
        let cpus = cpus.map_err(|message| {
            let request = request.as_deref().unwrap_or_default();
            io::Error::other(format!("{BIND}={request} {message}"))
        })?;
        let cpus = cpus.unwrap_or_default();
        let allowed = allowed.map_or(1, |cpus| cpus.len().max(1));
        let threads = heist::default_threads().unwrap_or(1);
        Ok(Bound {
            workers: nodes::workers(&cpus, threads, allowed),
            cpus,
            listed: request.is_some_and(|request| request != "nodes"),
        })
    }

    /// Starts the process of a place.
    fn spawn(&self, place: usize, mut command: Command) -> io::Result<Child> {
        let Some((cpus, workers)) = self.cpus.get(place).zip(self.workers.get(place)) else {
            return command.spawn();
        };
        // The place cannot see how many other places share its CPUs, so the launcher sets the number of workers.
        if number(WORKERS).is_none() {
            command.env(WORKERS, workers.to_string());
        }
        // A process inherits the CPUs of the thread that starts it. A new thread binds itself and starts the process, so the current
        // thread keeps its CPUs.
        let spawned = thread::scope(|scope| {
            let starter = scope.spawn(|| match nodes::bind(cpus) {
                Err(error) if self.listed => Err(error),
                // Without a list from the user, the program runs even if the system cannot bind processes.
                _ => command.spawn(),
            });
            starter.join()
        });
        spawned.unwrap_or_else(|payload| resume_unwind(payload))
    }
}

/// Waits for the process of a place, and returns its exit status. If the place fails, creates the file `mark`. The file tells other
/// places to stop waiting for the start of this place.
fn wait(place: usize, mut child: Child, mark: &Path) -> io::Result<i32> {
    let status = child.wait()?;
    if let Some(signal) = status.signal() {
        say(format_args!("place {place} was ended by signal {signal}"));
    }
    if !status.success() {
        // The folder may be gone already, if all places were connected.
        let _ = File::create(mark);
    }
    Ok(status
        .code()
        .unwrap_or_else(|| 128 + status.signal().unwrap_or(0)))
}

/// Connects this place to all other places.
fn connect(here: usize, places: usize) -> Result<Sockets, String> {
    let folder = PathBuf::from(
        env::var_os(FOLDER).ok_or_else(|| format!("{HERE} is set, but {FOLDER} is not"))?,
    );
    let io_error = |error: io::Error| format!("place {here} cannot connect: {error}");
    let fingerprint = fingerprint().map_err(io_error)?;
    let launcher = UnixStream::connect(folder.join("launcher")).map_err(io_error)?;
    launcher.set_nonblocking(true).map_err(io_error)?;
    let listener = UnixListener::bind(folder.join(format!("place-{here}"))).map_err(io_error)?;
    let mut streams: Vec<Option<UnixStream>> = (0..places).map(|_| None).collect();
    let until = Instant::now() + PATIENCE;
    let goes_on = || {
        let launched = folder.exists() && !has_ended(&launcher);
        if !launched {
            clean(&folder, places);
        }
        launched && Instant::now() < until && !folder.join(FAILED).exists()
    };
    // Each place connects to the places with smaller indices, and accepts connections from the places with larger indices.
    for (other, stream) in streams.iter_mut().enumerate().take(here) {
        let path = folder.join(format!("place-{other}"));
        let connected = loop {
            match UnixStream::connect(&path) {
                Ok(connected) => break connected,
                Err(_) if goes_on() => thread::sleep(Duration::from_millis(2)),
                Err(error) => {
                    return Err(format!("place {here} cannot reach place {other}: {error}"));
                }
            }
        };
        greet(&connected, here, fingerprint)?;
        *stream = Some(connected);
    }
    listener.set_nonblocking(true).map_err(io_error)?;
    let mut missing = places - here - 1;
    while missing > 0 {
        match listener.accept() {
            Ok((accepted, _)) => {
                accepted.set_nonblocking(false).map_err(io_error)?;
                let other = greet(&accepted, here, fingerprint)?;
                match streams.get_mut(other) {
                    Some(stream @ None) if other > here => *stream = Some(accepted),
                    _ => return Err(format!("place {here} was called by a second place {other}")),
                }
                missing -= 1;
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock && goes_on() => {
                thread::sleep(Duration::from_millis(2));
            }
            Err(error) => {
                return Err(format!(
                    "place {here} was not called by {missing} other places: {error}"
                ));
            }
        }
    }
    (&launcher).write_all(&[1]).map_err(io_error)?;
    let stream = launcher;
    Sockets::new(here, streams, Some(Launcher { stream, folder })).map_err(io_error)
}

/// Returns true if the process at the other end of `stream` has ended. The other process must never write to the stream.
fn has_ended(mut stream: &UnixStream) -> bool {
    match stream.read(&mut [0]) {
        Ok(bytes) => bytes == 0,
        Err(error) => error.kind() == io::ErrorKind::ConnectionReset,
    }
}

/// Removes the sockets and marks of heist-places from the folder, and then removes the folder if it is empty.
pub(crate) fn clean(folder: &Path, places: usize) {
    for place in 0..places {
        let _ = fs::remove_file(folder.join(format!("place-{place}")));
    }
    for name in ["launcher", FAILED] {
        let _ = fs::remove_file(folder.join(name));
    }
    let _ = fs::remove_dir(folder);
}

/// Exchanges indices and fingerprints with another place, and returns the index of the other place. Returns an error if that place runs a
/// different build.
fn greet(mut stream: &UnixStream, here: usize, fingerprint: u64) -> Result<usize, String> {
    let io_error = |error: io::Error| format!("place {here} was not greeted: {error}");
    stream.set_read_timeout(Some(PATIENCE)).map_err(io_error)?;
    let mut own = [0; 24];
    own[..8].copy_from_slice(&MAGIC);
    own[8..16].copy_from_slice(&(here as u64).to_le_bytes());
    own[16..].copy_from_slice(&fingerprint.to_le_bytes());
    stream.write_all(&own).map_err(io_error)?;
    let mut others = [0; 24];
    stream.read_exact(&mut others).map_err(io_error)?;
    stream.set_read_timeout(None).map_err(io_error)?;
    let mut place = [0; 8];
    place.copy_from_slice(&others[8..16]);
    let place = u64::from_le_bytes(place) as usize;
    if others[..8] != own[..8] {
        return Err(format!(
            "place {here} was called by something that is no place"
        ));
    }
    if others[16..] != own[16..] {
        return Err(format!(
            "places {here} and {place} run different builds: start all places from the same program file"
        ));
    }
    Ok(place)
}

/// Returns a hash of the program file. If two processes run equal files, they have the same task types, the same numbers for these types,
/// and the same encodings.
///
/// ```
/// assert_eq!(heist_places::fingerprint()?, heist_places::fingerprint()?);
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Errors
/// Returns an error if the file cannot be read.
pub fn fingerprint() -> io::Result<u64> {
    // On Linux, this path names the file that this process runs, even if that file has been
    // replaced since.
    let running = File::open("/proc/self/exe");
    let mut file = running.or_else(|_| File::open(env::current_exe()?))?;
    let mut chunk = vec![0; 1 << 20];
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut add = |word: u64| {
        hash = (hash ^ word)
            .wrapping_mul(0x0000_0100_0000_01b3)
            .rotate_left(29)
    };
    loop {
        let length = read_full(&mut file, &mut chunk)?;
        let (words, rest) = chunk[..length].as_chunks::<8>();
        words.iter().for_each(|word| add(u64::from_le_bytes(*word)));
        rest.iter().for_each(|byte| add(u64::from(*byte)));
        if length < chunk.len() {
            return Ok(hash);
        }
    }
}

fn read_full(file: &mut File, chunk: &mut [u8]) -> io::Result<usize> {
    let mut length = 0;
    while length < chunk.len() {
        match file.read(&mut chunk[length..]) {
            Ok(0) => break,
            Ok(bytes) => length += bytes,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(length)
}
