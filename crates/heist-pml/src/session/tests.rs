//! Inputs, and what is answered.

use super::{Answer, Ended, Session};
use crate::diag::Style;
use crate::driver::{Dialect, on_large_stack};
use crate::runtime::worker::{Options, Worker};

/// Inputs, each with what is to be answered: what was declared, or what a message begins with or has in it.
fn talk(stress: bool, inputs: &[(&str, &str)]) {
    on_large_stack(|| {
        let options = Options {
            heap: 256 << 20,
            stack: 64 << 20,
            stress,
            ..Options::default()
        };
        let worker = Worker::new(options).expect("memory");
        let files = Dialect::Pml.basis();
        let mut session = Session::new(files, worker, Style::default()).expect("the Basis");
        for (input, expected) in inputs {
            let answer = session.input("test.sml", input.as_bytes(), true);
            let Answer {
                end,
                messages,
                text,
            } = answer;
            if end == Ended::Done {
                assert_eq!(text.trim_end(), *expected, "{input}\n{messages}");
            } else {
                assert!(
                    !expected.is_empty() && messages.contains(expected),
                    "{input}\n{messages}"
                );
            }
        }
        assert_eq!(session.end().end, Ended::Done);
    });
}

#[test]
fn values_are_shown_by_their_types() {
    talk(
        false,
        &[
            ("1 + 2;", "val it = 3 : int"),
            ("it * 2;", "val it = 6 : int"),
            (
                "val x = ~5 and y = 0w255;",
                "val x = ~5 : int\nval y = 0wxFF : word",
            ),
            ("fun id x = x;", "val id = fn : 'a -> 'a"),
            (
                "(id 1, id \"a\\n\", #\"b\");",
                "val it = (1, \"a\\n\", #\"b\") : int * string * char",
            ),
            (
                "{b = true, a = 1.5};",
                "val it = {a = 1.5, b = true} : {a: int, b: bool}",
            ),
        ],
    );
}
