//! Tests prompts whose inputs use up the stack or the heap, fork, or are interrupted.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use super::{PROMPT, WORK, text};

/// A process that runs a prompt.
pub(crate) struct Prompt {
    pub(crate) child: Child,
    input: Option<ChildStdin>,
    lines: std::io::Lines<BufReader<ChildStdout>>,
}

impl Prompt {
    /// Starts a prompt with the given number of workers. If `publish` is true, every poll publishes. If `stress` is true, every allocation
    /// collects.
    pub(crate) fn new(workers: usize, publish: bool, stress: bool) -> Prompt {
        Prompt::of("pml", workers, publish, stress)
    }

    /// Starts a prompt in a dialect.
    pub(crate) fn of(dialect: &str, workers: usize, publish: bool, stress: bool) -> Prompt {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args([PROMPT, &workers.to_string(), dialect])
            .env("HEIST_PUBLISH", if publish { "1" } else { "0" })
            .env("HEIST_STRESS", if stress { "1" } else { "0" })
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        Prompt {
            input: child.stdin.take(),
            child,
            lines,
        }
    }

    pub(crate) fn type_in(&mut self, text: &str) {
        let input = self.input.as_mut().expect("it is open");
        input.write_all(text.as_bytes()).unwrap();
    }

    /// Reads answers up to the line `line`. Returns the lines before it.
    pub(crate) fn until(&mut self, line: &str) -> Vec<String> {
        let mut before = Vec::new();
        loop {
            match self.lines.next() {
                Some(Ok(found)) if found == line => return before,
                Some(Ok(found)) => before.push(found),
                _ => {
                    let _ = self.child.kill();
                    panic!("it ends before {line}: {before:?}");
                }
            }
        }
    }

    pub(crate) fn interrupt(&self) {
        interrupt(&self.child);
    }

    /// Closes the input, waits for the end of the prompt, and returns its messages.
    pub(crate) fn end(mut self) -> String {
        drop(self.input.take());
        let ended = end_within(&mut self.child, 60);
        let output = self.child.wait_with_output().unwrap();
        assert!(ended, "it does not end: {}", text(&output.stderr));
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        text(&output.stderr)
    }
}

/// Sends the signal of Ctrl-C to a process.
pub(crate) fn interrupt(child: &Child) {
    let sent = Command::new("/bin/sh")
        .arg("-c")
        .arg(format!("kill -INT {}", child.id()))
        .status();
    assert!(sent.unwrap().success());
}

/// Returns true if a process ends within a number of seconds. Otherwise kills the process.
pub(crate) fn end_within(child: &mut Child, seconds: u64) -> bool {
    let began = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if began.elapsed().as_secs() > seconds {
            child.kill().unwrap();
            return false;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    true
}

/// Declares `stolen`, which runs `e` on another worker while the first worker loops.
pub(crate) const STOLEN: &str = "
fun stolen e = let val begun = ref false
               in (| (while not (! begun) do ()), (begun := true; e ()) |) end;
";

pub(crate) fn survives_exhaustion() {
    for (workers, publish) in [(1, false), (3, false), (2, true)] {
        exhaust(workers, publish);
    }
}

fn exhaust(workers: usize, publish: bool) {
    let overflow = "stack overflow: calls are nested too deeply; is a recursion without an end? (--stack gives more)\n";
    let memory = "out of memory: the heap has reached its limit of 64 MiB (see --heap)\n";
    let mut inputs = vec![
        ("fun deep n = 1 + deep (n + 1); val _ = deep 0;", overflow),
        ("fun grow xs = grow (1 :: xs); val _ = grow [];", memory),
        ("val a = Array.array (20000000, 0.0);", memory),
        (
            "fun both n = Int.toString n :: both (n + 1); val _ = both 0;",
            overflow,
        ),
        (
            "fun double s = double (s ^ s); val _ = double \"abc\";",
            memory,
        ),
        (
            "val r = ref (fn n => n : int); r := (fn n => ! r n + 1); val _ = ! r 0;",
            overflow,
        ),
    ];
    if workers > 1 {
        inputs.extend([
            // The stack overflow is on the strand of a thief. The message has the number of this strand, which the test does not know.
            (
                "val _ = stolen (fn () => deep 0);",
                "stack overflow in strand",
            ),
            ("val _ = stolen (fn () => grow []);", memory),
            (
                "val _ = stolen (fn () => Array.array (20000000, 0.0));",
                memory,
            ),
            // In these inputs, other strands wait for the strand that fails, or loop forever beside it.
            (
                "val _ = stolen (fn () => stolen (fn () => deep 0));",
                "stack overflow in strand",
            ),
            ("val _ = (| grow [], (while true do ()) |);", memory),
            ("val _ = (| (while true do ()), grow [] |);", memory),
            // Several workers use up the heap at the same time.
            ("val _ = (| grow [], grow [2], grow [3] |);", memory),
        ]);
    }
    let mut prompt = Prompt::new(workers, publish, false);
    prompt.type_in("val kept = ref [1, 2, 3];\n");
    prompt.type_in(STOLEN);
    prompt.type_in(WORK);
    prompt.type_in(";\n");
    let (mut sum, mut said) = (6, Vec::new());
    for round in 0..2 {
        for (input, message) in &inputs {
            prompt.type_in(input);
            // After the failed input, the heap and the stack are usable again, also for forks.
            prompt.type_in(
                "\nval a = (| work 30 0, work 30 0, foldl op + 0 (! kept) |);
                 val () = print (\"<\" ^ Int.toString (#1 a + #2 a + #3 a) ^ \">\\n\");\n",
            );
            prompt.type_in(&format!("kept := {round} :: ! kept;\n"));
            prompt.until(&format!("<{}>", sum + 18_000));
            said.push(*message);
            sum += round;
        }
    }
    let messages = prompt.end();
    let lines: Vec<&str> = messages.lines().collect();
    assert_eq!(lines.len(), said.len(), "{messages}");
    for (line, message) in lines.iter().zip(said) {
        assert!(line.starts_with(message.trim_end()), "{message}: {line}");
    }
}

/// Tests that later inputs can use values, closures, references and exceptions of earlier inputs, even if another worker has made them.
pub(crate) fn inputs_follow_one_another() {
    let talk: &[(&str, &str)] = &[
        (
            "val (a, b) = (| build 3, build 2 |);",
            "val a = [\"3\", \"2\", \"1\"] : string list\nval b = [\"2\", \"1\"] : string list",
        ),
        (
            "val cells = PArray.tab (6, fn i => ref [i]);",
            "val cells = [|ref [0], ref [1], ref [2], ref [3], ref [4], ref [5]|] : int list ref PArray.parray",
        ),
        ("val _ = PArray.map (fn c => c := 7 :: ! c) cells;", ""),
        (
            "val sums = PArray.map (fn c => foldl op + 0 (! c)) cells;",
            "val sums = [|7, 8, 9, 10, 11, 12|] : int PArray.parray",
        ),
        (
            "val fs = [| fn x => x + i | i in [| 1 to 4 |] |];",
            "val fs = [|fn, fn, fn, fn|] : (int -> int) PArray.parray",
        ),
        (
            "[| f (work 3 0) | f in fs |];",
            "val it = [|901, 902, 903, 904|] : int PArray.parray",
        ),
        (
            "exception E of string list; fun part i = if i > 2 then raise E (build i) else i;",
            "exception E of string list\nval part = fn : int -> int",
        ),
        (
            "(| work 20 0, part 3, part 4 |);",
            "!uncaught exception E: [\"3\", \"2\", \"1\"]",
        ),
        (
            "(parN [fn () => work 20 0, fn () => part 4, fn () => part 5]; []) handle E l => l;",
            "val it = [\"4\", \"3\", \"2\", \"1\"] : string list",
        ),
        (
            "val e = (ignore (| work 9 0, part 3 |); Fail \"\") handle e => e;",
            "val e = E [\"3\", \"2\", \"1\"] : exn",
        ),
        // The left side raises an exception while thieves run the right side, which loops forever. The runtime must cancel all strands of
        // the right side, including strands that wait for each other.
        (
            "ignore (| (ignore (work 300 0); part 3), (| (while true do ()), (| (while true do ()), (while true do ()) |) |) |);",
            "!uncaught exception E: [\"3\", \"2\", \"1\"]",
        ),
        (
            "ignore (| stolen (fn () => part 5), stolen (fn () => while true do ()) |);",
            "!uncaught exception E: [\"5\", \"4\", \"3\", \"2\", \"1\"]",
        ),
        (
            "(| work 40 0, (raise e) handle E l => length l, length a, ! (subP (cells, 2)) |);",
            "val it = (12000, 3, 3, [7, 2]) : int * int * int * int list",
        ),
        (
            "val r = ref (ref a); val _ = (| work 20 0, r := ref (build 4) |);",
            "val r = ref (ref [\"3\", \"2\", \"1\"]) : string list ref ref",
        ),
        (
            "(! (! r), sumP (PArray.tab (1000, fn i => i)));",
            "val it = ([\"4\", \"3\", \"2\", \"1\"], 499500) : string list * int",
        ),
    ];
    for (workers, publish, stress) in [
        (1, false, false),
        (2, false, false),
        (8, false, false),
        (3, true, false),
        (2, false, true),
        (3, true, true),
    ] {
        // With fewer workers, it may happen that no worker is free to steal.
        let fits = |input: &&(&str, &str)| workers > 2 || !input.0.contains("stolen (");
        let mut prompt = Prompt::new(workers, publish, stress);
        prompt.type_in(&format!("{STOLEN} {WORK};\n"));
        let mut messages = String::new();
        prompt.type_in("val () = print \"<0>\\n\";\n");
        prompt.until("<0>");
        for _ in 0..if stress { 1 } else { 2 } {
            for (input, answer) in talk.iter().filter(fits) {
                prompt.type_in(&format!("{input}\nval () = print \"<1>\\n\";\n"));
                let found = prompt.until("<1>").join("\n");
                match answer.strip_prefix('!') {
                    None => assert_eq!(found, *answer, "{input}, {workers} workers"),
                    Some(message) => {
                        assert_eq!(found, "", "{input}, {workers} workers");
                        messages.push_str(message);
                        messages.push('\n');
                    }
                }
            }
        }
        assert_eq!(
            prompt.end(),
            messages,
            "{workers} workers, {publish}, {stress}"
        );
    }
}

/// Returns the processor time that a process has used, in ticks of ten milliseconds.
fn ticks(child: &Child) -> u64 {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", child.id())).unwrap();
    let (_, rest) = stat.rsplit_once(") ").unwrap();
    let mut words = rest.split(' ').skip(11);
    let mut next = || words.next().unwrap().parse::<u64>().unwrap();
    next() + next()
}

/// Tests that no worker searches for work between inputs.
pub(crate) fn waits() {
    let mut prompt = Prompt::new(8, false, false);
    prompt.type_in(&format!(
        "{WORK}; val a = (| work 300 0, work 300 0 |);\nval () = print \"<0>\\n\";\n"
    ));
    prompt.until("<0>");
    // Workers may search for a short time after an input. This time is longer if other programs use the processors.
    std::thread::sleep(Duration::from_millis(300));
    let mut all = Vec::new();
    while all.last().is_none_or(|spent| *spent > 5) {
        assert!(all.len() < 10, "{all:?} ticks of 10 ms in a second each");
        let before = ticks(&prompt.child);
        std::thread::sleep(Duration::from_secs(1));
        all.push(ticks(&prompt.child) - before);
    }
    prompt.type_in("val a = (| work 300 0, work 300 0 |);\nval () = print \"<1>\\n\";\n");
    prompt.until("<1>");
    assert_eq!(prompt.end(), "");
}

/// Tests the cancellation of threads whose loops poll only in masked parts. These masked parts are in functions of the Basis that change a
/// vproc or wait.
pub(crate) fn masked_loops_are_cancelled() {
    for workers in [1, 2] {
        let mut prompt = Prompt::new(workers, false, false);
        prompt.type_in(
            "val vp = List.hd (Scheduler.vprocs ());
             fun moves () = (Scheduler.migrateTo vp; moves ());
             fun yields () = (Scheduler.yield (); yields ());
             fun takes v = (SyncVar.mTake v; SyncVar.mPut (v, ()); takes v);
             fun round f =
               let
                 val c = Cancel.makeCancelable ()
                 val id = CML.spawn (fn () => (ignore (Cancel.wrap (c, f) ()) handle Cancel.Cancelled => ()))
               in
                 CML.sync (CML.timeOutEvt (Time.fromMicroseconds 100));
                 Cancel.cancel c; CML.sync (CML.joinEvt id); print \"gone\\n\"
               end;
             val () = round moves; val () = round yields; val () = round (fn () => takes (SyncVar.mVarInit ()));
             7;\n",
        );
        let said = prompt.until("val it = 7 : int");
        let gone = said.iter().filter(|line| *line == "gone").count();
        assert_eq!(gone, 3, "{said:?}");
        prompt.end();
    }
}
