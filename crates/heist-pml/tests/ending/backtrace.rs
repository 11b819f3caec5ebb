//! Tests the places that the runtime prints below the message of an uncaught exception.

use super::prompt::STOLEN;
use super::{Program, text};

/// Returns a program's message and the places below the message. In the result, `P` stands for the program's file, and places in the Basis
/// have no lines and columns.
fn said(program: &Program, workers: usize) -> String {
    let mut command = program.command();
    let output = command.arg(workers.to_string()).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    let said = text(&output.stderr).replace(program.0.to_str().unwrap(), "P");
    let start = said.find("uncaught").expect("a message");
    let mut shown = String::new();
    for line in said[start..].lines() {
        let line = line.strip_prefix("uncaught exception ").unwrap_or(line);
        match line.split_once("basis/") {
            Some((what, place)) => {
                let (file, rest) = place.split_once(':').expect("a line");
                let function = rest.split_once(' ').map_or("", |(_, function)| function);
                shown.push_str(&format!("{what}{file} {function}"));
            }
            None => shown.push_str(line),
        }
        shown.push('\n');
    }
    shown
}

/// Programs with their messages. `n ()` is 0, and `many ()` is more than 2, but the compiler does not know these
/// values.
const PROGRAMS: &[(&str, &str)] = &[
    (
        // The compiler inlines both functions.
        "fun f x = if x > 2 then raise Fail \"big\" else x
fun g x = 1 + f (x + 1)
val y = g (many ())",
        "Fail: \"big\"
  raised at P:1:25 in f
  called at P:2:15 in g
  called at P:3:9
",
    ),
    (
        // A handler does not match.
        "fun f x = if x > 2 then raise Fail \"big\" else x
fun g x = f x handle Subscript => 0
val y = g (many ())",
        "Fail: \"big\"
  raised at P:1:25 in f
  raised again at P:2:11 in g
  called at P:3:9
",
    ),
    (
        // A function returns the exception to a handler that does not match.
        "fun f (x, 0) = if x > 2 then raise Fail \"big\" else x
  | f (x, n) = f (x, n - 1) + 1
fun g x = f (x, 3) handle Subscript => 0
val y = g (many ())",
        "Fail: \"big\"
  raised at P:1:30 in f
  raised again at P:3:11 in g
  called at P:4:9
",
    ),
    (
        // No function handles the exception, so the message lists all calls that were under way.
        "fun f (x, 0) = if x > 2 then raise Fail \"big\" else x
  | f (x, n) = f (x, n - 1) + 1
val y = f (many (), 2)",
        "Fail: \"big\"
  raised at P:1:30 in f
  called at P:2:16 in f (2 times)
  called at P:3:9
",
    ),
    (
        // A handler raises its exception again, after it has raised and handled another exception.
        "fun f x = if x > 2 then raise Fail \"big\" else x
fun other x = (f x; ()) handle Fail _ => ()
fun g x = f x handle e => (other 7; other x; raise e)
val y = g (many ())",
        "Fail: \"big\"
  raised at P:1:25 in f
  raised again at P:3:46 in g
  called at P:4:9
",
    ),
    (
        // An exception that was handled before does not affect the places of this exception.
        "val () = (raise Fail \"one\") handle Fail _ => ()
fun g x = if x > 2 then raise Fail \"two\" else x
val y = g (many ()) handle Subscript => 0 | Div => 1",
        "Fail: \"two\"
  raised at P:2:25 in g
  raised again at P:3:9
",
    ),
    (
        // Two operations of one function can raise the same exception.
        "fun f (a, b) =
  a div (b + 1)
  + a div b
val y = f (7, n ())",
        "Div
  raised at P:3:5 in f
  called at P:4:9
",
    ),
    (
        "fun f a = a + 1
val big = valOf Int.maxInt - n ()
val y = f big",
        "Overflow
  raised at P:1:11 in f
  called at P:3:9
",
    ),
    (
        "val a = Array.array (3, 0)
val y =
  Array.sub (a, many ())",
        "Subscript
  raised at vector.sml in sub
  called at P:3:3
",
    ),
    (
        "fun f 1 = 2
val y = f (n ())",
        "Match
  raised at P:1:5 in f
  called at P:2:9
",
    ),
    (
        "fun f x = if x = 0 then NONE else SOME x
val SOME z = f (n ())",
        "Bind
  raised at P:2:5
",
    ),
    (
        // Repeated calls from one place are counted, including those of an unrolled body.
        "fun deep x = if x = 0 then raise Fail \"deep\" else 1 + deep (x - 1)
val y = deep (1000 + n ())",
        "Fail: \"deep\"
  raised at P:1:28 in deep
  called at P:1:55 in deep (1000 times)
  called at P:2:9
",
    ),
    (
        // The place of code in a function without a name has the name of the enclosing function.
        "fun last x = if x > 2 then raise Fail \"big\" else x
fun each xs = map (fn x => 1 + last x) xs
val y = each [1, many ()]",
        "Fail: \"big\"
  raised at P:1:28 in last
  called at P:2:32 in each
  called at list.sml in go
  called at list.sml in go
  called at list.sml in map
  called at P:2:15 in each
  called at P:3:9
",
    ),
];

pub(crate) fn places() {
    let mut failures = Vec::new();
    for (source, expected) in PROGRAMS {
        let before =
            "fun n () = length (CommandLine.arguments ()) fun many () = size (CommandLine.name ())";
        let source = format!("{before}\n{source}");
        let found = said(&Program::new(&source), 1);
        if shifted(&found) != *expected {
            failures.push(format!("{source}\nexpected\n{expected}\nfound\n{found}"));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}

/// Returns a message with each line number reduced by one, because the test puts a line before the programs of
/// [`PROGRAMS`].
fn shifted(said: &str) -> String {
    let mut shown = String::new();
    for (at, part) in said.split("P:").enumerate() {
        let Some((line, rest)) = part.split_once(':').filter(|_| at > 0) else {
            shown.push_str(part);
            continue;
        };
        let line: u32 = line.parse().expect("a line");
        shown.push_str(&format!("P:{}:{rest}", line - 1));
    }
    shown
}

pub(crate) fn stolen() {
    let source = format!(
        "{STOLEN}fun f x = if x > 2 then raise Fail \"big\" else x
fun h () = 1 + #2 (stolen (fn () => f (size (CommandLine.name ()))))
val y = h ()
val () = (ignore (h ()); ()) handle e => raise e
"
    );
    let first = "Fail: \"big\"
  raised at P:4:25 in f
  called at P:5:37 in h
  called at P:3:67 in stolen
  called at P:3:51 in stolen
  called at P:5:20 in h
";
    let program = Program::named(&source, "pml");
    for workers in [2, 3, 2, 3] {
        assert_eq!(
            said(&program, workers),
            format!("{first}  called at P:6:9\n")
        );
    }
    // The owner of the fork handles the exception and raises it again. The message keeps the places in the fork.
    let source = source.replace("val y = h ()\n", "\n");
    let program = Program::named(&source, "pml");
    for workers in [2, 3, 2, 3] {
        let thief = first.split_inclusive('\n').take(4).collect::<String>();
        let expected = format!("{thief}  raised again at P:7:42\n");
        assert_eq!(said(&program, workers), expected);
    }
}

/// Tests the report about threads that wait forever. For each thread, the report gives the place where the thread waits, the place where
/// the program made the thread, and the object for which the thread waits.
pub(crate) fn deadlock() {
    let program = Program::new(
        r#"val (c, d) : int CML.chan * int CML.chan = (CML.channel (), CML.channel ())
fun serve total =
  let val n = CML.recv c
  in serve (total + n)
  end
fun watch () = 1 + CML.select [CML.recvEvt d, CML.wrap (CML.sendEvt (d, 1), fn () => 2)]
val _ = CML.spawn (fn () => ignore (serve 0))
val _ = CML.spawn (fn () => ignore (watch ()))
val () = CML.yield ()
val () = (CML.send (c, 1); print (Int.toString (SyncVar.iGet (SyncVar.iVar ()))))
"#,
    );
    for workers in ["1", "2"] {
        let output = program.command().arg(workers).output().unwrap();
        let errors = text(&output.stderr);
        let first = errors.lines().next().unwrap_or_default();
        let file = program.0.display();
        assert!(
            first.contains(&format!(
                "it waits for the variable made at {file}:10:63, and so do threads "
            )),
            "{errors}"
        );
        // The compiler inlines the wait, whose loop becomes a part of the program's own code.
        let own = |line: &&str| !line.contains(" basis/");
        let calls: Vec<&str> = errors.lines().skip(1).filter(own).collect();
        assert_eq!(calls, [format!("  called at {file}:10:49")], "{errors}");
        assert!(
            first.contains(&format!(
                " (at {file}:3:15 in serve, for the channel made at {file}:1:45, spawned at {file}:7:9)"
            )),
            "{errors}"
        );
        assert!(
            first.contains(&format!(
                " (at {file}:6:20 in watch, for the channel made at {file}:1:61 or another event, spawned at {file}:8:9)"
            )),
            "{errors}"
        );
    }
}

/// Tests that a backtrace names each inlined call once.
pub(crate) fn inlined_loops() {
    let program = Program::new(
        r#"val c : int CML.chan = CML.channel ()
fun first f = let fun loop (f, i) = if f i then i else loop (f, i + 1) in loop (f, 0) end
val () = ignore (first (fn i => CML.recv c = i))
"#,
    );
    let output = program.command().arg("1").output().unwrap();
    let errors = text(&output.stderr).replace(program.0.to_str().unwrap(), "P");
    let own = |line: &&str| !line.contains(" basis/");
    let calls: Vec<&str> = errors.lines().skip(1).filter(own).collect();
    let expected = [
        "  called at P:3:33",
        "  called at P:2:40 in loop",
        "  called at P:2:75 in first",
        "  called at P:3:18",
    ];
    assert_eq!(calls, expected, "{errors}");
}

/// Tests that the report of a deadlock says which of the waiting threads are parts of forks.
pub(crate) fn deadlock_of_forks() {
    let program = Program::named(
        "val (c, d) : int CML.chan * int CML.chan = (CML.channel (), CML.channel ())
val (a, b) = (| CML.recv c, CML.recv d |)
",
        "pml",
    );
    for workers in ["1", "2", "8"] {
        let output = program.command().arg(workers).output().unwrap();
        let errors = text(&output.stderr).replace(program.0.to_str().unwrap(), "P");
        let said =
            "it waits for the channel made at P:1:45, and so does thread 1 (a part of a fork, at ";
        assert!(errors.contains(said), "{workers} workers: {errors}");
        let channel = ", for the channel made at P:1:61)";
        assert!(errors.contains(channel), "{workers} workers: {errors}");
    }
}

/// Tests that the report of an exception that ends a thread has the exception's value and place.
pub(crate) fn threads() {
    let program = Program::new(
        r#"exception Bad of int
fun work 0 = raise Bad 7
  | work n = 1 + work (n - 1)
fun joined f = CML.sync (CML.joinEvt (CML.spawn f))
val () = joined (fn () => print (Int.toString (work 3)))
val () = joined (fn () => (ignore (work 2) handle Bad n => raise Bad (n + 1)))
val () = joined (fn () => (ignore (work 2) handle exn => raise exn))
val () = joined (fn () => ignore (work 1) handle Bad _ => CML.exit ())
val () = Scheduler.spawn (fn () => raise Fail "fiber")
val () = CML.sync (CML.timeOutEvt (Time.fromMilliseconds 200))
"#,
    );
    for workers in ["1", "2"] {
        let output = program.command().arg(workers).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        let errors = text(&output.stderr).replace(program.0.to_str().unwrap(), "P");
        let lines: Vec<&str> = errors.lines().collect();
        let expected = [
            "uncaught exception Bad: 7 in thread 1",
            "  raised at P:2:14 in work",
            "uncaught exception Bad: 8 in thread 2",
            "  raised at P:6:60",
            "uncaught exception Bad: 7 in thread 3",
            "  raised at P:2:14 in work",
            "uncaught exception Fail: \"fiber\" in thread 5",
            "  raised at P:9:36",
        ];
        assert_eq!(lines, expected, "{workers} workers");
    }
}

/// Tests that a report describes each object for which threads wait: the kind of the object, and the place where the
/// program made it.
pub(crate) fn deadlock_of_each_kind() {
    let program = Program::new(
        r#"val mailbox : int Mailbox.mbox = Mailbox.mailbox ()
val taken : int SyncVar.mvar = SyncVar.mVarInit 1
val port : int Multicast.port = Multicast.port (Multicast.mChannel ())
val _ = SyncVar.mTake taken
fun start f = ignore (CML.spawn (fn () => ignore (f ())))
val () = start (fn () => Mailbox.recv mailbox)
val () = start (fn () => SyncVar.mTake taken)
val () = start (fn () => Multicast.recv port)
val () = start (fn () => CML.select [CML.never, SyncVar.mGetEvt taken, Mailbox.recvEvt mailbox])
val () = CML.yield ()
val () = CML.recv (CML.channel ())
"#,
    );
    for workers in ["1", "2"] {
        let output = program.command().arg(workers).output().unwrap();
        let errors = text(&output.stderr);
        let first = errors.lines().next().unwrap_or_default();
        let file = program.0.display();
        for (line, what) in [
            (6, "the mailbox made at P:1:34"),
            (7, "the variable made at P:2:32"),
            (8, "the multicast channel made at P:3:49"),
        ] {
            let what =
                format!("(at P:{line}:26, for {what}, spawned").replace("P:", &format!("{file}:"));
            assert!(first.contains(&what), "{errors}");
        }
        let either = ["variable made at P:2:32", "mailbox made at P:1:34"]
            .map(|what| format!("(at P:9:26, for the {what} or another event,"))
            .map(|what| what.replace("P:", &format!("{file}:")));
        assert!(either.iter().any(|what| first.contains(what)), "{errors}");
        assert!(
            first.contains(&format!("it waits for the channel made at {file}:11:20,")),
            "{errors}"
        );
    }
}
