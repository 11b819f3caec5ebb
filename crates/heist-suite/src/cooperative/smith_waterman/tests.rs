use super::*;

fn solved(n: u64, tile: usize) -> Table {
    let (a, b) = pair(Size::N(n), (1, 1), &Data::default()).unwrap();
    let table = Table::new(a, b, tile);
    (0..table.tasks()).for_each(|task| table.run(task));
    table.trace_back();
    table
}

/// Scores and ends that Biopython 1.88 finds (`pip install biopython`):
///
/// ```python
/// from Bio import SeqIO
/// from Bio.Align import PairwiseAligner
/// s = {r.id: str(r.seq) for r in SeqIO.parse("data/sequences.txt", "fasta")}
/// aligner = PairwiseAligner(mode="local", match_score=5, mismatch_score=-4,
///                           open_gap_score=-8, extend_gap_score=-8)
/// for a, b, n in (("ecoli-16s", "bsubtilis-16s", 119), ("ecoli-16s", "bsubtilis-16s", 1542),
///                 ("human-egfr", "rat-egfr", 5616)):
///     best = aligner.align(s[a][:n], s[b][:n * 107 // 119])[0]
///     print(best.score, best.coordinates[:, 0], best.coordinates[:, -1])
/// ```
const REFERENCE: [(u64, &str); 3] = [
    (119, "score 303 at 2..109 and 4..107"),
    (1542, "score 4131 at 2..1377 and 4..1386"),
    (5616, "score 13975 at 99..4234 and 3..4158"),
];

#[test]
fn as_biopython_says() {
    for (n, must) in REFERENCE {
        let table = solved(n, 32);
        let found = table.found().unwrap();
        assert_eq!(found.to_string(), must);
        assert_eq!(check(&table.a, &table.b, &found), Ok(()));
    }
}

/// For the paper's lengths, Biopython lists 30 alignments with the best score. The suite's alignment must be the last of these alignments.
#[test]
fn one_alignment_letter_by_letter() {
    let table = solved(119, 1);
    let (a, b) = table.found().unwrap().rows(&table.a, &table.b);
    assert_eq!(
        a,
        "ATTGAAGAGTTTGATCATGGCTCAGATTGAACGCTGGCGGCAGGCCTAACACATGCAAGTCGAACGGTAACAGGAAGAAGCTTGCTTCTTTGCTGACGAGTGGCGGA"
    );
    assert_eq!(
        b,
        "ATCGGAGAGTTTGATCCTGGCTCAGGACGAACGCTGGCGGCGTGCCTAATACATGCAAGTCGAGCGG--ACAGATGGGAGCTTGC-TCCCTGATG-TTAGCGGCGGA"
    );
}

#[test]
fn any_tile_gives_the_same() {
    let must = solved(200, 1);
    for tile in [2, 7, 32, 179, 180, 1000] {
        let table = solved(200, tile);
        assert_eq!(table.check(), Ok(()), "tiles of {tile}");
        assert_eq!(table.found(), must.found());
    }
}

#[test]
fn by_hand() {
    let table = |a: &str, b: &str| {
        let table = Table::new(a.into(), b.into(), 2);
        (0..table.tasks()).for_each(|task| table.run(task));
        table.trace_back();
        let found = table.found().unwrap();
        assert_eq!(table.check(), Ok(()));
        let (a, b) = found.rows(&table.a, &table.b);
        format!("{found}: {a} {b}")
    };
    assert_eq!(table("A", "C"), "score 0 at 0..0 and 0..0:  ");
    assert_eq!(
        table("GACGTT", "TACG"),
        "score 15 at 1..4 and 1..4: ACG ACG"
    );
    assert_eq!(
        table("AAACCCGGG", "AAACCGGG"),
        "score 32 at 0..9 and 0..8: AAACCCGGG AAA-CCGGG"
    );
    assert_eq!(
        table("AAACCGGG", "AAACCCGGG"),
        "score 32 at 0..8 and 0..9: AAA-CCGGG AAACCCGGG"
    );
}

#[test]
fn a_wrong_score_or_alignment_is_refused() {
    let table = solved(119, 32);
    let refused = |begin: &str| {
        let error = table.check().unwrap_err();
        assert!(error.starts_with(begin), "{error}");
    };
    let right = table.score(50, 60).load(Relaxed);
    table.score(50, 60).store(right + 1, Relaxed);
    refused("the score at 50, 60 is");
    table.score(50, 60).store(right, Relaxed);
    assert_eq!(table.check(), Ok(()));

    let best = table.found().unwrap();
    let plant = |wrong: Alignment| *table.found.lock().unwrap() = Some(wrong);
    plant(Alignment {
        score: 304,
        ..best.clone()
    });
    refused("the best score is 303, not 304");
    for at in 0..best.moves.len() {
        let mut wrong = best.clone();
        wrong.moves.remove(at);
        plant(wrong);
        refused("the alignment has the score");
    }
    let mut wrong = best.clone();
    wrong.moves.extend([Move::Both; 20]);
    plant(wrong);
    refused("the alignment ends at");
    table.reset();
    refused("there is no result");
}

#[test]
fn sizes_beyond_the_sequences_are_refused() {
    let error = pair(Size::N(5617), (1, 1), &Data::default()).unwrap_err();
    assert_eq!(
        error,
        "the length of the first sequence must be 1 to 5616, not 5617"
    );
}
