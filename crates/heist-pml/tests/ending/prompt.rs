//! A prompt whose inputs use up the stack or the heap.

use std::process::Command;

use super::{PROMPT, Program, text};

pub(crate) fn survives_exhaustion() {
    let overflow = "stack overflow: calls are nested too deeply; is a recursion without an end? (--stack gives more)\n";
    let memory = "out of memory: the heap has reached its limit of 64 MiB (see --heap)\n";
    let inputs = [
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
    let (mut lines, mut said) = (String::from("val kept = ref [1, 2, 3];\n"), String::new());
    for round in 0..3 {
        for (input, message) in inputs {
            lines.push_str(input);
            lines.push_str(
                "\nval () = print (\"<\" ^ Int.toString (foldl op + 0 (! kept)) ^ \">\");\n",
            );
            lines.push_str(&format!("kept := {round} :: ! kept;\n"));
            said.push_str(message);
        }
    }
    let program = Program::new(&lines);
    let mut command = Command::new(std::env::current_exe().unwrap());
    let output = command.arg(PROMPT).arg(&program.0).output().unwrap();
    assert_eq!(text(&output.stderr), said);
    assert_eq!(output.status.code(), Some(0));
    let printed = text(&output.stdout);
    let mut sum = 6;
    for round in 0..3 {
        for _ in inputs {
            assert!(printed.contains(&format!("<{sum}>")), "{printed}");
            sum += round;
        }
    }
}
