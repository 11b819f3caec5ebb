//! Tests `heist fmt` through the driver.

use std::fs;
use std::path::{Path, PathBuf};

use heist_pml::driver::{self, Settings};

fn format(files: &[PathBuf], check: bool) -> i32 {
    driver::format(files, check, &Settings::default())
}

/// Returns a new folder with the given files.
fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in files {
        fs::write(folder.path().join(name), text).expect("written");
    }
    folder
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).expect("a file")
}

#[test]
fn files_are_brought_into_the_layout_in_place() {
    let folder = folder(&[("a.sml", "val   x=1+2"), ("b.pml", "val y=  a!3")]);
    let files = [folder.path().join("a.sml"), folder.path().join("b.pml")];
    assert_eq!(format(&files, true), driver::REFUSED);
    assert_eq!(read(&files[0]), "val   x=1+2");
    assert_eq!(format(&files, false), driver::ACCEPTED);
    assert_eq!(read(&files[0]), "val x = 1 + 2\n");
    assert_eq!(read(&files[1]), "val y = a ! 3\n");
    assert_eq!(format(&files, true), driver::ACCEPTED);
}

#[test]
fn files_of_a_list_share_infix_names() {
    let folder = folder(&[
        ("a.sml", "infix ++ fun x++y=x+y"),
        ("b.sml", "val z=1++2*3"),
        ("all.mlb", "a.sml b.sml"),
    ]);
    let list = [folder.path().join("all.mlb")];
    assert_eq!(format(&list, false), driver::ACCEPTED);
    assert_eq!(read(&folder.path().join("b.sml")), "val z = 1 ++ 2 * 3\n");
}

#[test]
fn files_with_errors_stay_as_they_are() {
    let folder = folder(&[("a.sml", "val   x=")]);
    let file = folder.path().join("a.sml");
    let missing = folder.path().join("b.sml");
    assert_eq!(format(std::slice::from_ref(&file), false), driver::REFUSED);
    assert_eq!(read(&file), "val   x=");
    assert_eq!(format(&[missing, file], false), driver::IMPOSSIBLE);
}
