//! Programs for MLton expect more than the Basis: its way to write reals, its own library, and its other libraries.

use std::fs;

use super::common::heist;
use super::run_list;

/// The expected text is MLton's own.
#[test]
fn reals_are_written_as_mlton_writes_them() {
    let program = "\
        val () = List.app\n\
          (fn r => print (Real.toString r ^ \" \" ^ Real.fmt (StringCvt.GEN (SOME 1)) r ^ \" \" ^ Real.fmt (StringCvt.FIX (SOME 1)) r ^ \"\\n\"))\n\
          [0.0, ~0.0, 1.0, 900.0, 1000.0, 1234.0, 1234567.0, 120000.0, 12000.0, 0.01, 0.001, 0.0012, 0.00012, ~0.5, ~1.5E30,\n\
           1.0 / 0.0, ~1.0 / 0.0, 0.0 / 0.0, 123456789012.0, 1234567890123.0, 1.0 / 3.0]\n\
        val () = print (String.concatWith \" \" (List.map Real32.toString [0.1, 1.0, 1E10, ~3.5]) ^ \"\\n\")\n\
        val () = print (Real.fmt StringCvt.EXACT ~0.0 ^ \" \" ^ Real.fmt (StringCvt.SCI (SOME 1)) ~0.0 ^ \"\\n\")\n\
        val () = (ignore (Real.fmt (StringCvt.GEN (SOME 0))); print \"?\\n\") handle Size => print \"Size\\n\"\n";
    let expected = "\
        0 0 0.0\n\
        0 0 0.0\n\
        1 1 1.0\n\
        900 900 900.0\n\
        1E3 1E3 1000.0\n\
        1234 1E3 1234.0\n\
        1234567 1E6 1234567.0\n\
        1.2E5 1E5 120000.0\n\
        12000 1E4 12000.0\n\
        0.01 0.01 0.0\n\
        1E~3 1E~3 0.0\n\
        0.0012 1E~3 0.0\n\
        1.2E~4 1E~4 0.0\n\
        ~0.5 ~0.5 ~0.5\n\
        ~1.5E30 ~1E30 ~1499999999999999889089448902656.0\n\
        inf inf inf\n\
        ~inf ~inf ~inf\n\
        nan nan nan\n\
        123456789012 1E11 123456789012.0\n\
        1234567890120 1E12 1234567890123.0\n\
        0.333333333333 0.3 0.3\n\
        0.10000000149 1 1E10 ~3.5\n\
        ~0.0 0.0E0\n\
        Size\n";
    let (printed, said) = run_list(&[
        ("a.sml", program),
        ("main.mlb", "$(SML_LIB)/basis/basis.mlb a.sml"),
    ]);
    assert_eq!((printed.as_str(), said.as_str()), (expected, ""));
}

#[test]
fn parts_of_the_libraries_of_mlton_and_of_sml_nj() {
    let program = "\
        fun show s = print (s ^ \"\\n\")\n\
        fun word toLarge w = Word.toString (toLarge w)\n\
        val () = show (String.concatWith \" \"\n\
          [word Word32.toLarge (MLton.Word32.rol (0wx80000001, 0w1)), word Word32.toLarge (MLton.Word32.ror (0wx80000001, 0w33)),\n\
           word Word16.toLarge (MLton.Word16.bswap 0wx1234), word Word8.toLarge (MLton.Word8.bswap 0wx12),\n\
           word Word64.toLarge (MLton.Word.bswap 0wx0102030405060708), word Word8.toLarge (MLton.Word8.rol (0wx81, 0w8))])\n\
        val (v, last) = MLton.Vector.unfoldi (4, 1, fn (i, s) => (s + i, s * 2))\n\
        val () = show (String.concatWith \" \" (List.map Int.toString (last :: Vector.foldr op:: nil v)))\n\
        val () = show (Bool.toString ((ignore (MLton.Array.unfoldi (~1, 0, fn x => x)); false) handle Size => true))\n\
        val big = IntInf.pow (2, 100)\n\
        val () = show (IntInf.toString (MLton.IntInf.gcd (big * 6, ~ big * 9) div big))\n\
        val () = show (Bool.toString (MLton.IntInf.isSmall (IntInf.pow (2, 62) - 1)) ^ Bool.toString (MLton.IntInf.isSmall (IntInf.pow (2, 62))))\n\
        val () = show (MLton.Platform.OS.toString (valOf (MLton.Platform.OS.fromString \"Linux\")))\n\
        val a = Unsafe.Real64Array.create 2\n\
        val () = Unsafe.Real64Array.update (a, 1, 1.5)\n\
        val () = show (Real.fmt (StringCvt.FIX (SOME 1)) (Unsafe.Real64Array.sub (a, 0) + Real64Array.sub (a, 1)))\n\
        val () = show (Bool.toString (SMLofNJ.getArgs () = CommandLine.arguments () andalso SMLofNJ.exnHistory Fail' = nil))\n";
    let program = program.replace("Fail' =", "(Fail \"\") =");
    let expected = "3 C0000000 3412 12 807060504030201 81\n16 1 3 6 11\ntrue\n3\ntruefalse\nLinux\n1.5\ntrue\n";
    let lists = [
        "$(SML_LIB)/basis/basis.mlb $(SML_LIB)/basis/mlton.mlb $(SML_LIB)/basis/sml-nj.mlb $(SML_LIB)/basis/unsafe.mlb a.sml",
        "local a.sml in end",
    ];
    for list in lists {
        let (printed, said) = run_list(&[("a.sml", &program), ("main.mlb", list)]);
        assert_eq!((printed.as_str(), said.as_str()), (expected, ""), "{list}");
    }
}

/// A list that gives a structure of the Basis another name mentions it, too.
#[test]
fn a_list_may_name_what_is_elaborated_on_demand() {
    let (printed, said) = run_list(&[
        (
            "a.sml",
            "val () = print (IntInf.toString (M.IntInf.gcd (12, 18)) ^ \"\\n\")",
        ),
        ("main.mlb", "structure M = MLton a.sml"),
    ]);
    assert_eq!((printed.as_str(), said.as_str()), ("6\n", ""));
}

/// `SML_LIB` names the folder of an installed MLton. Its Basis is not used.
#[test]
fn other_libraries_come_from_an_installed_mlton() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    for name in ["lib/basis", "lib/trees"] {
        fs::create_dir_all(at(name)).unwrap();
    }
    fs::write(at("lib/basis/basis.mlb"), "nonsense in").unwrap();
    fs::write(
        at("lib/trees/trees.mlb"),
        "$(SML_LIB)/basis/basis.mlb trees.sml",
    )
    .unwrap();
    fs::write(
        at("lib/trees/trees.sml"),
        "structure Trees = struct val leaf = 7 end",
    )
    .unwrap();
    fs::write(
        at("a.sml"),
        "val () = print (Int.toString Trees.leaf ^ \"\\n\")",
    )
    .unwrap();
    let list =
        "$(SML_LIB)/basis/basis.mlb $(SML_LIB)/trees/trees.mlb $(SML_LIB)/heist/seq.sml a.sml";
    fs::write(at("main.mlb"), list).unwrap();
    let variable = format!("SML_LIB={}", at("lib"));
    let run = |list: &str| {
        let output = heist(&["run", "--mlb-path-var", &variable, &at(list)]);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        (String::from_utf8_lossy(&output.stdout).into_owned(), said)
    };
    assert_eq!(run("main.mlb"), ("7\n".to_owned(), String::new()));
    fs::write(at("other.mlb"), "$(SML_LIB)/shrubs/shrubs.mlb a.sml").unwrap();
    let (_, said) = run("other.mlb");
    assert!(
        said.contains("cannot read") && said.contains("shrubs.mlb"),
        "{said}"
    );
}
