//! The programs of `docs/guide.md`. The test runs each program, compares the pictures with those of the page, and checks that the
//! page quotes the programs as they are in their files.
#![cfg(not(any(miri, heist_model)))]
#![allow(
    clippy::duplicate_mod,
    dead_code,
    unreachable_pub,
    reason = "each program is a `main.rs` of its own, with `plot.rs` beside it"
)]

use std::fs;
use std::path::Path;

macro_rules! programs {
    ($($name:ident: $file:literal;)*) => {
        $(
            mod $name {
                include!($file);

                pub(super) fn run() {
                    main().unwrap();
                }
            }
        )*

        const PROGRAMS: &[(&str, &str, fn())] = &[$((stringify!($name), include_str!($file), $name::run)),*];
    };
}

programs! {
    words: "../../../docs/guide/words.rs";
    mandelbrot: "../../../docs/guide/mandelbrot.rs";
    pi: "../../../docs/guide/pi.rs";
    ambulances: "../../../docs/guide/ambulances.rs";
    heat: "../../../docs/guide/heat.rs";
    history: "../../../docs/guide/history.rs";
}

/// Runs all programs in one test, because all threads of a process share the current folder.
#[test]
fn programs_draw_the_pictures_of_the_page() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("guide");
    fs::create_dir_all(&folder).unwrap();
    fs::copy(root.join("data/words.txt"), folder.join("words.txt")).unwrap();
    std::env::set_current_dir(&folder).unwrap();
    for (name, _, run) in PROGRAMS {
        run();
        let picture = format!("{name}.svg");
        assert!(
            fs::read(&picture).unwrap()
                == fs::read(root.join("docs/guide").join(&picture)).unwrap(),
            "{picture}: copy it from {} to docs/guide if the program has changed",
            folder.display()
        );
    }
}

#[test]
fn the_page_has_the_programs_as_they_are() {
    let page = include_str!("../../../docs/guide.md");
    for (name, text, _) in PROGRAMS {
        assert!(
            page.contains(&format!("```rust,ignore\n{text}```\n")),
            "docs/guide.md differs from docs/guide/{name}.rs"
        );
    }
}
