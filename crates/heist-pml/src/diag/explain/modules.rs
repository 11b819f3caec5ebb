//! Explains errors in modules, all other errors, and warnings.

use super::{Code, Explanation, new};

pub(super) fn text(code: Code) -> Option<Explanation> {
    Some(match code {
        Code::UnboundStructure => new(
            "No structure of this name is in scope.",
            "val x = Lists.length",
            "val x = List.length",
        ),
        Code::UnboundSignature => new(
            "No signature of this name is in scope.",
            "structure S : NO_SUCH_SIGNATURE = struct end",
            "signature NOTHING = sig end\nstructure S : NOTHING = struct end",
        ),
        Code::UnboundFunctor => new(
            "No functor of this name is in scope.",
            "structure S = NoSuchFunctor (struct end)",
            "functor F () = struct end\nstructure S = F ()",
        ),
        Code::MissingItem => new(
            "A structure has to have all that its signature lists.",
            "structure S : sig val x : int end = struct end",
            "structure S : sig val x : int end = struct val x = 1 end",
        ),
        Code::ItemKind => new(
            "A signature asks for a constructor or an exception, and the structure has an ordinary value of that name.",
            "structure S : sig exception E end = struct val E = 1 end",
            "structure S : sig exception E end = struct exception E end",
        ),
        Code::ItemType => new(
            "A value of a structure has another type than its signature says, or works for fewer types.",
            "structure S : sig val f : 'a -> 'a end = struct fun f x = x + 1 end",
            "structure S : sig val f : int -> int end = struct fun f x = x + 1 end",
        ),
        Code::ItemTypeArity => new(
            "A type of a structure has another number of parameters than its signature says.",
            "structure S : sig type 'a t end = struct type t = int end",
            "structure S : sig type 'a t end = struct type 'a t = int end",
        ),
        Code::ItemDatatype => new(
            "A datatype of a signature is matched by a datatype with the same constructors.",
            "structure S : sig datatype t = A | B end = struct datatype t = A end",
            "structure S : sig datatype t = A | B end = struct datatype t = A | B end",
        ),
        Code::ItemEquality => new(
            "An `eqtype` of a signature is matched by a type whose values can be compared by `=`.",
            "structure S : sig eqtype t end = struct type t = int -> int end",
            "structure S : sig type t end = struct type t = int -> int end",
        ),
        Code::ItemDefinition => new(
            "The signature says what a type is, and the structure says something else.",
            "structure S : sig type t = int end = struct type t = bool end",
            "structure S : sig type t = int end = struct type t = int end",
        ),
        Code::Sharing => new(
            "`sharing` says that types or structures of a signature are the same. They have to be types that the signature leaves open.",
            "signature S = sig type t = int type u = bool sharing type t = u end",
            "signature S = sig type t type u sharing type t = u end",
        ),
        Code::WhereType => new(
            "`where type` says what a type is that a signature leaves open.",
            "signature S = sig type t = bool end where type t = int",
            "signature S = sig type t end where type t = int",
        ),
        Code::DuplicateSpec => new(
            "A signature lists each value, type and structure once.",
            "signature S = sig val x : int val x : bool end",
            "signature S = sig val x : int val y : bool end",
        ),
        Code::DuplicateModule => new(
            "Modules joined by `and` have different names.",
            "structure A = struct end and A = struct end",
            "structure A = struct end and B = struct end",
        ),
        Code::Unsupported => new(
            "The program is right as far as is known, but it uses something that this compiler does not do.",
            "",
            "",
        ),
        Code::Limit => new(
            "The program is larger than the compiler can work on in some respect, which the message names.",
            "",
            "",
        ),
        Code::NonExhaustive => new(
            "There are values that no rule matches, of which the message shows one. If one comes, the exception Match is raised.",
            "fun first (x :: _) = x",
            "fun first (x :: _) = SOME x\n  | first [] = NONE",
        ),
        Code::Redundant => new(
            "The rules before this one match all that it would match. Often the order of the rules is wrong, or a constructor is misspelt and taken for a variable.",
            "fun f _ = 1\n  | f 0 = 2",
            "fun f 0 = 2\n  | f _ = 1",
        ),
        Code::ValueRestriction => new(
            "A type variable remains in the type of a value that is not a function, constructor or constant: the value is made once, by a computation, and could not be used at several types safely. A type that nothing else needs is put in its place.",
            "val r = ref []",
            "val r : int list ref = ref []",
        ),
        Code::NonExhaustiveBinding => new(
            "The pattern of a binding does not match all values of its type. If it does not match, the exception Bind is raised.",
            "fun f xs = let val (x :: _) = xs in x end",
            "fun f xs = case xs of x :: _ => x | [] => 0",
        ),
        _ => return None,
    })
}
