//! Exceptions that the runtime and compiled code raise without a `raise` in the program.

/// Exceptions that primitives and the runtime raise. The Basis declares them: `exception Div = _exn "Div"`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
#[allow(missing_docs)]
pub enum BuiltinExn {
    Bind,
    Chr,
    Div,
    Domain,
    Empty,
    Fail,
    Io,
    Match,
    Option,
    Overflow,
    Size,
    Span,
    Subscript,
    SysErr,
    Unordered,
}

impl BuiltinExn {
    /// All exceptions of the runtime, in the order of their numbers.
    pub const ALL: [BuiltinExn; 15] = {
        use BuiltinExn::*;
        [
            Bind, Chr, Div, Domain, Empty, Fail, Io, Match, Option, Overflow, Size, Span,
            Subscript, SysErr, Unordered,
        ]
    };

    /// Returns the exception's name in the Basis and in messages.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            BuiltinExn::Bind => "Bind",
            BuiltinExn::Chr => "Chr",
            BuiltinExn::Div => "Div",
            BuiltinExn::Domain => "Domain",
            BuiltinExn::Empty => "Empty",
            BuiltinExn::Fail => "Fail",
            BuiltinExn::Io => "Io",
            BuiltinExn::Match => "Match",
            BuiltinExn::Option => "Option",
            BuiltinExn::Overflow => "Overflow",
            BuiltinExn::Size => "Size",
            BuiltinExn::Span => "Span",
            BuiltinExn::Subscript => "Subscript",
            BuiltinExn::SysErr => "SysErr",
            BuiltinExn::Unordered => "Unordered",
        }
    }

    /// Returns the exception with this name.
    #[must_use]
    pub fn by_name(name: &str) -> Option<BuiltinExn> {
        BuiltinExn::ALL.into_iter().find(|exn| exn.name() == name)
    }
}
