//! Makes expressions of SML for lists of edge values of a type.

use super::ty::Ty;

/// The maximum number of values that a call tries for an argument of a function type.
const FUNCTIONS: usize = 3;

/// Returns an expression for a list of at most `most` values of a type, or `None` if the test cannot make such values.
pub(crate) fn values(ty: &Ty, most: usize) -> Option<String> {
    let list = match ty {
        Ty::Var => "ints".to_owned(),
        Ty::Tuple(parts) => return fields(parts.iter(), most, tuple),
        Ty::Record(parts) => {
            let labels: Vec<&str> = parts.iter().map(|part| part.0.as_str()).collect();
            let record = |names: &[String]| {
                let fields: Vec<String> = labels
                    .iter()
                    .zip(names)
                    .map(|(label, name)| format!("{label} = {name}"))
                    .collect();
                format!("{{{}}}", fields.join(", "))
            };
            return fields(parts.iter().map(|part| &part.1), most, record);
        }
        Ty::Arrow(from, to) => {
            // A reader gives a limited number of items.
            if let Ty::Con(args, option) = &**to
                && option == "option"
                && let [Ty::Tuple(pair)] = &args[..]
                && pair.len() == 2
                && pair[1] == **from
                && matches!(**from, Ty::Var)
            {
                let items = values(&pair[0], 12)?;
                return Some(format!("readers ({items})"));
            }
            let results = values(to, FUNCTIONS)?;
            format!("map (fn r => fn _ => r) ({results})")
        }
        Ty::Con(args, name) => match (name.as_str(), &args[..]) {
            ("option", [arg]) => format!("options ({})", values(arg, most)?),
            ("list", [arg]) => format!("lists ({})", values(arg, most)?),
            ("vector", [arg]) => format!("map Vector.fromList (lists ({}))", values(arg, most)?),
            ("array", [arg]) => format!("map Array.fromList (lists ({}))", values(arg, most)?),
            ("ref", [arg]) => format!("map ref ({})", values(arg, most)?),
            ("VectorSlice.slice", [arg]) => {
                format!("vectorSlices (lists ({}))", values(arg, most)?)
            }
            ("ArraySlice.slice", [arg]) => {
                format!("arraySlices (lists ({}))", values(arg, most)?)
            }
            ("Array2.array", [arg]) => format!("grids ({})", values(arg, most)?),
            ("PArray.parray", [arg]) => format!("parrays (lists ({}))", values(arg, most)?),
            ("Rope.rope", [arg]) => format!("map Rope.fromList (lists ({}))", values(arg, most)?),
            ("Lazy.lazy", [arg]) => format!("map Lazy.value ({})", values(arg, most)?),
            (name, []) => of_name(name)?.to_owned(),
            _ => return None,
        },
    };
    Some(format!("take ({most}, {list})"))
}

fn tuple(names: &[String]) -> String {
    format!("({})", names.join(", "))
}

/// Returns an expression for the list of all tuples or records with edge values as parts.
fn fields<'a>(
    parts: impl Iterator<Item = &'a Ty>,
    most: usize,
    make: impl Fn(&[String]) -> String,
) -> Option<String> {
    let parts: Vec<&Ty> = parts.collect();
    let each = share(most, parts.len());
    let mut names = Vec::new();
    let mut open = String::new();
    for at in 0..parts.len() {
        let last = at + 1 == parts.len();
        let by = if last { "map" } else { "mapConcat" };
        names.push(format!("x{at}"));
        open.push_str(&format!("{by} (fn x{at} => "));
    }
    let mut text = format!("{open}{}", make(&names));
    for part in parts.iter().rev() {
        text = format!("{text}) ({})", values(part, each)?);
    }
    Some(format!("take ({most}, {text})"))
}

/// Returns the number of values to try for each of `parts` parts. With this number, there are about `most` combinations. The number is at
/// least 3.
pub(crate) fn share(most: usize, parts: usize) -> usize {
    let each = (most as f64).powf(1.0 / parts.max(1) as f64);
    (each as usize).max(3)
}

/// Returns the name of the prelude's list with edge values of the type `name`.
fn of_name(name: &str) -> Option<&'static str> {
    Some(match name {
        "int" => "ints",
        "IntInf.int" => "intInfs",
        "Int7.int" => "int7s",
        "Int8.int" => "int8s",
        "Int16.int" => "int16s",
        "Int32.int" => "int32s",
        "word" => "words",
        "Word7.word" => "word7s",
        "Word8.word" => "word8s",
        "Word16.word" => "word16s",
        "Word32.word" => "word32s",
        "real" => "reals",
        "float" => "floats",
        "char" => "chars",
        "string" => "strings",
        "bool" => "[false, true]",
        "unit" => "[()]",
        "order" => "[LESS, EQUAL, GREATER]",
        "exn" => "[Fail \"x\", Div, OS.SysErr (\"\", NONE)]",
        "substring" => "substrings",
        "Word8Vector.vector" => "map Word8Vector.fromList (lists word8s)",
        "Word8Array.array" => "map Word8Array.fromList (lists word8s)",
        "Word8VectorSlice.slice" => "word8VectorSlices",
        "Word8ArraySlice.slice" => "word8ArraySlices",
        "CharArray.array" => "map CharArray.fromList (lists chars)",
        "CharArraySlice.slice" => "charArraySlices",
        "Time.time" => "times",
        "Date.date" => "dates",
        "Date.month" => "[Date.Jan, Date.Feb, Date.Dec]",
        "Date.weekday" => "[Date.Mon, Date.Sun]",
        "StringCvt.radix" => "[StringCvt.BIN, StringCvt.OCT, StringCvt.DEC, StringCvt.HEX]",
        "StringCvt.realfmt" => "realfmts",
        "IEEEReal.float_class" => {
            "[IEEEReal.NAN, IEEEReal.INF, IEEEReal.ZERO, IEEEReal.NORMAL, IEEEReal.SUBNORMAL]"
        }
        "IEEEReal.rounding_mode" => {
            "[IEEEReal.TO_NEAREST, IEEEReal.TO_NEGINF, IEEEReal.TO_POSINF, IEEEReal.TO_ZERO]"
        }
        "IEEEReal.real_order" => {
            "[IEEEReal.LESS, IEEEReal.EQUAL, IEEEReal.GREATER, IEEEReal.UNORDERED]"
        }
        "IO.buffer_mode" => "[IO.NO_BUF, IO.LINE_BUF, IO.BLOCK_BUF]",
        "Array2.traversal" => "[Array2.RowMajor, Array2.ColMajor]",
        "Timer.cpu_timer" => "[Timer.startCPUTimer ()]",
        "Timer.real_timer" => "[Timer.startRealTimer ()]",
        "Random.rand" => "map Random.rand [(0, 0), (1, 2), (least, most)]",
        "TextIO.instream" => {
            "[TextIO.openString \"\", TextIO.openString \"ab\\ncd\", closedText ()]"
        }
        "TextIO.outstream" => "[TextIO.openOut \"out\", closedOut ()]",
        "BinIO.instream" => "[binaryIn (), closedBinary ()]",
        "MPL.t" | "MPL.File.t" => "[mplFile (), closedMplFile ()]",
        "BinIO.outstream" => "[BinIO.openOut \"out\"]",
        "TextIO.StreamIO.instream" => {
            "map TextIO.getInstream [TextIO.openString \"\", TextIO.openString \"ab\\ncd\", closedText ()]"
        }
        "TextIO.StreamIO.outstream" => {
            "map TextIO.getOutstream [TextIO.openOut \"out\", closedOut ()]"
        }
        "BinIO.StreamIO.instream" => "map BinIO.getInstream [binaryIn (), closedBinary ()]",
        "BinIO.StreamIO.outstream" => "map BinIO.getOutstream [BinIO.openOut \"out\"]",
        "TextPrimIO.reader" => "[TextPrimIO.openVector \"abc\", TextPrimIO.nullRd ()]",
        "TextPrimIO.writer" => "[TextPrimIO.nullWr ()]",
        "BinPrimIO.reader" => {
            "[BinPrimIO.openVector (Word8Vector.fromList word8s), BinPrimIO.nullRd ()]"
        }
        "BinPrimIO.writer" => "[BinPrimIO.nullWr ()]",
        "TextIO.out_pos" => "textPositions ()",
        "BinIO.out_pos" => "binaryPositions ()",
        "OS.FileSys.access_mode" | "OS.FileSys.access_mode list" => {
            "[OS.FileSys.A_READ, OS.FileSys.A_WRITE, OS.FileSys.A_EXEC]"
        }
        "OS.IO.iodesc" => "descriptors",
        "OS.IO.poll_desc" => "List.mapPartial OS.IO.pollDesc descriptors",
        "OS.IO.poll_info" => "polled ()",
        "NetProtDB.entry" => "List.mapPartial NetProtDB.getByName [\"tcp\", \"udp\"]",
        "NetServDB.entry" => {
            "List.mapPartial (fn name => NetServDB.getByName (name, NONE)) [\"http\", \"domain\"]"
        }
        "MLton.Arch.t" => "[MLton.Platform.Arch.host, MLton.Platform.Arch.X86]",
        "MLton.OS.t" => "[MLton.Platform.OS.host, MLton.Platform.OS.WASI]",
        "OS.FileSys.file_id" => "[OS.FileSys.fileId \".\"]",
        "OS.FileSys.dirstream" => "[OS.FileSys.openDir \".\", closedDir ()]",
        _ => return None,
    })
}
