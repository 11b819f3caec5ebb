//! Tests of programs for MLton. Programs for MLton use MLton's libraries, and expect the text that MLton prints for reals.

use std::fs;
use std::path::Path;

use super::common::heist;
use super::run_list;

/// The expected text is the output of MLton.
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

/// The compiler elaborates a structure of the Basis if a list mentions it, for example to give the structure another name.
#[test]
fn a_list_may_name_a_structure_that_is_elaborated_on_demand() {
    let (printed, said) = run_list(&[
        (
            "a.sml",
            "val () = print (IntInf.toString (M.IntInf.gcd (12, 18)) ^ \"\\n\")",
        ),
        ("main.mlb", "structure M = MLton a.sml"),
    ]);
    assert_eq!((printed.as_str(), said.as_str()), ("6\n", ""));
}

/// `SML_LIB` names the folder of an installed MLton. The compiler does not use MLton's Basis.
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

/// In a list, the compiler follows MLton where MLton differs from the Definition and the Basis. In a program that is not a list, the
/// compiler follows the Definition and the Basis.
#[test]
fn lists_follow_mlton_beyond_the_definition() {
    let program = "\
        abstype t = T of int with val (a, b) = (T 1, T 1) val eq = op = end\n\
        val () = print (Bool.toString (eq (a, b)) ^ \" \" ^ Bool.toString (a = b) ^ \"\\n\")\n\
        val () = print (Real.fmt StringCvt.EXACT (Real.nextAfter (0.0, ~0.0)) ^ \" \" ^ Real.toString (Real.nextAfter (1.0, 1.0)) ^ \"\\n\")\n\
        val () = print (valOf (String.fromCString \"\\\\q\") ^ valOf (String.fromCString \"x\\\\n\"))\n\
        val () = TextIO.flushOut TextIO.stdOut\n\
        val () = (TextIO.output (TextIO.stdOut, \"lost\"); Posix.Process.exit 0w0)\n";
    let (printed, said) = run_list(&[
        ("a.sml", program),
        ("main.mlb", "$(SML_LIB)/basis/basis.mlb a.sml"),
    ]);
    assert_eq!(
        (printed.as_str(), said.as_str()),
        ("true true\n~0.0 1\nx\n", "")
    );
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.sml");
    fs::write(&file, program).unwrap();
    let out = heist(&["check", file.to_str().unwrap()]);
    let said = String::from_utf8(out.stderr).unwrap();
    assert!(said.contains("does not admit equality"), "{said}");
}

/// With `--default-type int32`, `int` has 32 bits, also in literals, operators and results of the
/// Basis.
#[test]
fn int_may_have_32_bits() {
    let program = "\
        val say = print o (fn s => s ^ \" \")\n\
        fun try f = say (Int.toString (f ())) handle Overflow => say \"Overflow\"\n\
        val most = valOf Int.maxInt\n\
        val () = List.app try\n\
          [fn () => most, fn () => most + 1, fn () => ~ most - 2, fn () => most * 2, fn () => ~ (valOf Int.minInt),\n\
           fn () => abs (valOf Int.minInt), fn () => valOf Int.minInt div ~1, fn () => floor 3E9, fn () => Real.round ~2147483648.0,\n\
           fn () => Real32.trunc 1E10, fn () => Position.+ (most, 1), fn () => valOf (Int.fromString \"2147483648\"), fn () => IntInf.toInt 2147483648,\n\
           fn () => Word.toInt 0wx80000000, fn () => Word.toIntX 0wx80000000, fn () => Word32.toInt 0wx80000000,\n\
           fn () => Word32.toIntX 0wx80000000, fn () => Int64.toInt 2147483648, fn () => Int32.+ (most, 1),\n\
           fn () => List.foldl op + 0 [most, 1], fn () => Int.fromLarge 2147483647, fn () => 7 mod ~2]\n\
        val wide : Int64.int = 5000000000\n\
        val a = Int64Array.array (2, wide * 2 + 1)\n\
        val () = say (Int64.toString (Int64Array.sub (a, 1)))\n\
        val same : Int32.int = size \"abc\"\n\
        val b = Int32Vector.fromList [same, most]\n\
        val () = say (Int32.toString (Int32Vector.foldl Int.max same b))\n\
        fun which 2147483647 = \"most\" | which ~2147483648 = \"least\" | which _ = \"other\"\n\
        val () = print (which most ^ which (valOf Int.minInt) ^ which 0 ^ valOf (Option.map Int.toString Int.precision) ^ \"\\n\")\n";
    let expected = "2147483647 Overflow Overflow Overflow Overflow Overflow Overflow Overflow ~2147483648 Overflow Overflow Overflow \
        Overflow Overflow Overflow Overflow ~2147483648 Overflow Overflow Overflow 2147483647 ~1 10000000001 2147483647 mostleastother32\n";
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let file = folder.path().join(name);
        fs::write(&file, text).unwrap();
        file
    };
    let run = |file: &Path, options: &[&str]| {
        let out = heist(&[&["run"], options, &[file.to_str().unwrap()]].concat());
        (
            String::from_utf8(out.stdout).unwrap(),
            String::from_utf8(out.stderr).unwrap(),
        )
    };
    let file = write("a.sml", program);
    let list = write("main.mlb", "$(SML_LIB)/basis/basis.mlb a.sml");
    for file in [file, list] {
        let (printed, said) = run(
            &file,
            &["--default-type", "int32", "--default-type", "word64"],
        );
        assert_eq!(
            (printed.as_str(), said.as_str()),
            (expected, ""),
            "{}",
            file.display()
        );
    }
    let sums = write(
        "sums.pml",
        "val a : Int64.int parray = [| 5000000000, 3 |]\n\
         val () = print (Int64.toString (sumP a) ^ \" \" ^ Int.toString (sumP [| 1, 2 |]) ^ \" \" ^ Real.toString (sumP [| 1.5, 2.0 |]) ^ \"\\n\")\n\
         val () = print (Int.toString (sumP [| 2147483647, 1 |])) handle Overflow => print \"Overflow\\n\"\n\
         val b = (Int32Array2.array (2, 2, 5 : Int32.int), Int64Array2.array (2, 2, 5000000000 : Int64.int))\n",
    );
    let (printed, said) = run(&sums, &["--default-type", "int32"]);
    assert_eq!(
        (printed.as_str(), said.as_str()),
        ("5000000003 3 3.5\nOverflow\n", "")
    );
    let large = write(
        "large.sml",
        "val x = 2147483648 val y = [~2147483649, 1] val z : Int64.int = 2147483648\n",
    );
    let (_, said) = run(&large, &["--default-type", "int32"]);
    assert_eq!(said.matches("does not fit in `int`").count(), 2, "{said}");
    let (printed, said) = run(
        &large,
        &["--default-type", "int32", "--default-type", "int64"],
    );
    assert_eq!((printed.as_str(), said.as_str()), ("", ""));
    let (_, said) = run(&large, &["--default-type", "int16"]);
    assert!(said.contains("int32, int64, word64 or real64"), "{said}");
    let (_, said) = run(
        &large,
        &["--default-type", "int32", "--dialect", "manticore"],
    );
    assert!(said.contains("`int` has 64 bits in manticore"), "{said}");
}
