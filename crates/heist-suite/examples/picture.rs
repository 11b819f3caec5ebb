//! Writes the picture of the program `raytracer` as a PNG file.
//!
//! ```text
//! cargo run --profile measure -p heist-suite --example picture -- teapot.png 1024
//! ```

use heist_suite::{Data, Size, loops};
use std::fs::File;
use std::io::BufWriter;
use std::process::ExitCode;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let (path, size) = match &args[..] {
        [path] => (path, Some(Size::Paper)),
        [path, side] => (path, side.parse().ok().map(Size::N)),
        _ => {
            eprintln!("usage: picture FILE [SIDE]");
            return ExitCode::from(2);
        }
    };
    let Some(size) = size else {
        eprintln!("picture: the side must be a number, not '{}'", args[1]);
        return ExitCode::from(2);
    };
    let file = File::create(path).map_err(|error| format!("{path}: {error}"));
    let drawn = file.and_then(|file| loops::image(size, &Data::locate(), BufWriter::new(file)));
    match drawn {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("picture: {error}");
            ExitCode::FAILURE
        }
    }
}
