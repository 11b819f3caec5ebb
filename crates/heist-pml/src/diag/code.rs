//! The kinds of errors and warnings. The number of a kind is stable: it never becomes the number of another kind.

use std::fmt;

macro_rules! codes {
    ($($name:ident $number:literal $title:literal)*) => {
        /// A kind of error or warning. The documentation of a variant is its title.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Code {
            $(#[doc = $title] $name,)*
        }

        impl Code {
            /// All kinds of errors and warnings, in the order of their numbers.
            pub const ALL: &[Code] = &[$(Code::$name,)*];

            /// Returns the printed number, such as `E0301`.
            #[must_use]
            pub fn number(self) -> &'static str {
                match self {
                    $(Code::$name => $number,)*
                }
            }

            /// Returns a description of the fault, in one line.
            #[must_use]
            pub fn title(self) -> &'static str {
                match self {
                    $(Code::$name => $title,)*
                }
            }
        }
    };
}

codes! {
    // E01: characters and words.
    BadCharacter "E0101" "a character that cannot stand here"
    UnclosedComment "E0102" "a comment that does not end"
    UnclosedString "E0103" "a string that does not end"
    BadEscape "E0104" "an escape sequence that does not exist"
    BadCharLiteral "E0105" "a character literal that is not one character"
    BadNumber "E0106" "a number that is not written right"
    BadLongName "E0107" "a qualified name that is not written right"

    // E02: the grammar.
    UnexpectedToken "E0201" "something else was expected here"
    Unclosed "E0202" "a bracket or block that is not closed"
    ClauseNames "E0203" "clauses of one function with different names"
    ClauseArity "E0204" "clauses of one function with different numbers of arguments"
    RecNeedsFn "E0205" "`val rec` of something that is not a `fn`"
    TooDeep "E0206" "nested too deeply"
    InfixAlone "E0207" "an infix operator without operands"
    MixedAssociativity "E0208" "operators of one precedence that associate differently"
    MisplacedDeclaration "E0209" "a declaration that cannot stand here"
    BuiltinOnly "E0210" "a form that only the Basis may use"
    AsNeedsVariable "E0211" "`as` after something that is not a variable"
    NeedsParentheses "E0212" "an expression that needs parentheses here"
    BadPrecedence "E0213" "a precedence that is not a digit"
    BadLabel "E0214" "a record label that is not written right"
    PatternApplication "E0215" "a pattern that is applied like a function"
    PcaseArity "E0216" "a rule of `pcase` with a wrong number of patterns"
    StrayToken "E0217" "something that closes nothing"
    ExpressionInDeclarations "E0218" "an expression where a declaration was expected"
    FunNeedsArgument "E0219" "`fun` without an argument"

    // E03: scopes and types of the core language.
    TypeMismatch "E0301" "an expression of a wrong type"
    ArgumentMismatch "E0302" "a function and an argument that do not agree"
    BranchMismatch "E0303" "branches or rules of different types"
    AnnotationMismatch "E0304" "an expression or pattern that has not the type that is written"
    PatternMismatch "E0305" "a pattern that cannot match what is given to it"
    NotAFunction "E0306" "something that is not a function is applied"
    CircularType "E0307" "a type that would contain itself"
    NotEquality "E0308" "equality is asked of a type that has none"
    RigidTypeVariable "E0309" "a type variable of an annotation that cannot stand for one type"
    TypeEscapes "E0310" "a type that is not known where it is used"
    UnboundVariable "E0311" "an unknown variable"
    UnboundConstructor "E0312" "an unknown constructor"
    UnboundType "E0313" "an unknown type"
    UnboundTypeVariable "E0314" "a type variable that is not a parameter"
    UnboundException "E0315" "an unknown exception"
    TypeArity "E0316" "a wrong number of type arguments"
    ConstructorArity "E0317" "a constructor with or without its argument in a pattern"
    NotAConstructor "E0318" "something that is not a constructor is applied in a pattern"
    RealPattern "E0319" "a real number as a pattern"
    LiteralRange "E0320" "a literal that its type cannot hold"
    FlexibleRecord "E0321" "a record whose fields are not all known"
    MissingField "E0322" "a record without the field that is asked for"
    Overloading "E0323" "an overloaded operator at a type that it is not defined for"
    DuplicatePattern "E0324" "a variable bound twice in a pattern"
    DuplicateBinding "E0325" "a name bound twice in a declaration"
    DuplicateConstructor "E0326" "a constructor given twice"
    DuplicateLabel "E0327" "a label given twice"
    DuplicateTypeVariable "E0328" "a type variable given twice"
    NestedTypeVariable "E0329" "a type variable that is bound already around"
    RaiseNeedsExn "E0330" "`raise` of something that is not an exception"
    HandleNeedsExn "E0331" "`handle` with patterns that are not of exceptions"
    ReservedBinding "E0332" "a name that cannot be bound anew"
    RecNeedsVariable "E0333" "`val rec` with a pattern that is not a variable"
    ExceptionPolymorphic "E0334" "an exception with a free type variable at top level"
    NotAnException "E0335" "something that is not an exception constructor where one is needed"
    ConditionNotBool "E0336" "a condition that is not a bool"
    UnknownPrimitive "E0337" "an unknown primitive of the Basis"
    AlternativeVariables "E0338" "alternatives of a pattern that bind different variables"

    // E04: modules.
    UnboundStructure "E0401" "an unknown structure"
    UnboundSignature "E0402" "an unknown signature"
    UnboundFunctor "E0403" "an unknown functor"
    MissingItem "E0404" "a structure without something that its signature asks for"
    ItemKind "E0405" "a structure with something of another kind than its signature asks for"
    ItemType "E0406" "a value that is not as general as its signature asks for"
    ItemTypeArity "E0407" "a type with another number of parameters than its signature asks for"
    ItemDatatype "E0408" "a datatype that differs from the one of its signature"
    ItemEquality "E0409" "a type without equality where the signature asks for an `eqtype`"
    ItemDefinition "E0410" "a type that is not the one that its signature says"
    Sharing "E0411" "a `sharing` of types that cannot be the same"
    WhereType "E0412" "a `where type` of a type that is not open in the signature"
    DuplicateSpec "E0413" "a name specified twice in a signature"
    DuplicateModule "E0414" "a module bound twice in a declaration"

    // E05: all other errors.
    Unsupported "E0503" "something that this compiler cannot do"
    Limit "E0504" "a limit of this compiler is exceeded"

    // W06: warnings.
    NonExhaustive "W0601" "a match that does not cover all cases"
    Redundant "W0602" "a rule that can never match"
    ValueRestriction "W0603" "a type variable that cannot be generalised"
    NonExhaustiveBinding "W0604" "a binding whose pattern may not match"
}

/// The severity of a diagnostic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    /// The compiler accepts the program.
    Warning,
    /// The compiler refuses the program.
    Error,
}

impl Code {
    /// Returns the severity of the diagnostic.
    #[must_use]
    pub fn severity(self) -> Severity {
        if self.number().starts_with('W') {
            Severity::Warning
        } else {
            Severity::Error
        }
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.number())
    }
}
