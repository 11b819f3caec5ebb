//! Tests modules.

use super::{check, check_codes};
use crate::diag::{Code, Diagnostics, Style, render};
use crate::source::Sources;
use crate::syntax::{FixityEnv, Options, parse};

#[test]
fn structures() {
    check(
        "structure A : S = struct val x = 1; type t = int end and B :> T = A.C and C = D : S",
        "(structure A : S (struct (val x 1) (type t int)) B :> T A.C C (: D S))",
    );
    check(
        "structure A = let val x = 1 in B end",
        "(structure A (let ((val x 1)) B))",
    );
    check(
        "structure A = F (B) structure C = F (val x = 1 type t = int) structure D = F ()",
        "(structure A (F B))\n(structure C (F (struct (val x 1) (type t int))))\n(structure D (F (struct)))",
    );
    check(
        "structure A = F (struct end :> S)",
        "(structure A (F (:> (struct) S)))",
    );
}

#[test]
fn signatures() {
    check(
        "signature S = sig
           val x : int and y : 'a -> 'a; type 'a t; eqtype u and v; type w = int
           datatype d = A | B of d  datatype e = datatype M.e
           exception E of int and F
           structure T : S where type t = int and type u = bool and U : sig end
           include A B include sig end
           sharing type t = u = T.v sharing A = B
         end",
        "(signature S (sig (val x int y (-> 'a 'a)) (type ('a) t) (eqtype u v) (type w int) \
         (datatype d (A) (B d)) (datatype e datatype M.e) (exception E : int F) \
         (structure T (where (where S t int) u bool) U (sig)) \
         (include A) (include B) (include (sig)) (sharing type t u T.v) (sharing A B)))",
    );
    check(
        "signature S = T where type 'a t = 'a list where type u = int and V = T",
        "(signature S (where (where T ('a) t (list 'a)) u int) V T)",
    );
}

#[test]
fn functors() {
    check(
        "functor F (X : S) : T = struct end and G (type t val x : t) :> T = X",
        "(functor F (X S) : T (struct) G (sig (type t) (val x t)) :> T X)",
    );
    check("functor F () = struct end", "(functor F (sig) (struct))");
}

#[test]
fn misplaced() {
    use Code::MisplacedDeclaration;
    check_codes(
        "val x = let structure A = B in 1 end",
        &[MisplacedDeclaration],
    );
    check_codes(
        "structure A = struct signature S = sig end end",
        &[MisplacedDeclaration],
    );
    check_codes(
        "structure A = struct functor F () = struct end end",
        &[MisplacedDeclaration],
    );
    check_codes("eqtype t val x = 1", &[MisplacedDeclaration]);
}

/// Parses the files of the Basis in their order.
#[test]
fn the_basis_is_well_formed() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("basis");
    let order = std::fs::read_to_string(folder.join("order")).expect("the Basis has an order");
    let mut sources = Sources::default();
    let mut fixity = FixityEnv::new();
    let mut diagnostics = Diagnostics::default();
    let options = Options::default();
    for line in order.lines() {
        let name = line.trim();
        if name.is_empty() || name.starts_with('#') {
            continue;
        }
        let text = std::fs::read(folder.join(name)).expect("it is in the order");
        let id = sources.add(name, text, true);
        let _ = parse(&sources, id, &mut fixity, options, &mut diagnostics);
    }
    let messages = render(&sources, diagnostics.items(), Style::default());
    assert!(diagnostics.is_empty(), "{messages}");
}
