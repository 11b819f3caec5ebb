//! Explains errors of lexing and parsing: in characters, words and grammar.

use super::{Code, Explanation, new};

pub(super) fn text(code: Code) -> Option<Explanation> {
    Some(match code {
        Code::BadCharacter => new(
            "Outside of strings and comments a program is made of letters, digits and the symbols of ASCII. Quotation marks and dashes copied from a text with typography are the usual reason.",
            "val x = 1 – 2",
            "val x = 1 - 2",
        ),
        Code::UnclosedComment => new(
            "A comment begins with `(*` and ends with `*)`. Comments nest: each `(*` inside needs a `*)` of its own.",
            "(* a comment (* and one in it *)\nval x = 1",
            "(* a comment (* and one in it *) *)\nval x = 1",
        ),
        Code::UnclosedString => new(
            "A string ends on the line where it begins. A long one is continued by a backslash at the end of the line and one before the rest.",
            "val s = \"no end\nval x = 1",
            "val s = \"no \\\n  \\end\"\nval x = 1",
        ),
        Code::BadEscape => new(
            "In strings and characters a backslash begins one of `\\n \\t \\a \\b \\v \\f \\r \\\\ \\\"`, a control character `\\^A`, the number of a character in three decimal digits `\\065` or four hexadecimal ones `\\u0041`, or a gap `\\ ... \\` of white space.",
            r#"val s = "C:\dir""#,
            r#"val s = "C:\\dir""#,
        ),
        Code::BadCharLiteral => new(
            "A character literal `#\"c\"` holds one character, a byte. Letters outside of ASCII take several bytes in UTF-8.",
            "val c = #\"ab\"",
            "val c = #\"a\"",
        ),
        Code::BadNumber => new(
            "A real number has digits on both sides of its point: `1.0`. A minus sign is written `~`, in exponents too: `~1.5e~3`.",
            "val x = 1.",
            "val x = 1.0",
        ),
        Code::BadLongName => new(
            "A qualified name is one word, `Structure.name`, without spaces around the dot, and no part of it is a reserved word.",
            "val x = List. length",
            "val x = List.length",
        ),
        Code::UnexpectedToken => new(
            "The program does not follow the grammar here. The message says what could have come next. Often something is missing a little before: an operator, a `;` or an `end`.",
            "val x = if true then 1",
            "val x = if true then 1 else 2",
        ),
        Code::Unclosed => new(
            "A bracket, or a `let`, `struct`, `sig`, `local` or `abstype`, was opened and not closed by its counterpart.",
            "val x = (1 + 2\nval y = 3",
            "val x = (1 + 2)\nval y = 3",
        ),
        Code::ClauseNames => new(
            "All clauses of a function begin with its name. A name that differs is often a typing error, or an `and` is missing.",
            "fun even 0 = true\n  | evne n = n > 1",
            "fun even 0 = true\n  | even n = n > 1",
        ),
        Code::ClauseArity => new(
            "All clauses of a curried function take the same number of arguments.",
            "fun f 0 = 1\n  | f x y = 2",
            "fun f 0 _ = 1\n  | f x y = 2",
        ),
        Code::RecNeedsFn => new(
            "`val rec` makes names known in their own definitions. That works only if these are functions written as `fn`: anything else would be used before it exists.",
            "val rec x = 1 :: x",
            "val rec f = fn n => n :: f n",
        ),
        Code::TooDeep => new(
            "Expressions, patterns, types and modules can be nested in each other up to a limit, which includes long rows of operators. Programs that people write do not come near; generated ones should use lists `[a, b, c]` or several declarations. The parts of an inferred type are limited, too: a chain of functions, each of which applies the one before twice, can square their number each time. So are the combinations of alternatives in a pattern: `((1 | 2), (1 | 2))` has four, and each further part doubles them.",
            "",
            "",
        ),
        Code::InfixAlone => new(
            "A name that was declared infix stands between two operands. To use it as an ordinary function, write `op` before it.",
            "val sum = foldl (+) 0",
            "val sum = foldl (op +) 0",
        ),
        Code::MixedAssociativity => new(
            "Two operators of the same precedence, one of which associates to the left and one to the right, do not say what belongs together.",
            "infixr 6 ++\nfun a ++ b = a * b\nval x = 1 + 2 ++ 3",
            "infixr 6 ++\nfun a ++ b = a * b\nval x = (1 + 2) ++ 3",
        ),
        Code::MisplacedDeclaration => new(
            "Structures are declared at top level and in structures, not in expressions. Signatures and functors are declared at top level only; `eqtype`, `include` and `sharing` stand in signatures.",
            "structure S = struct signature T = sig end end",
            "signature T = sig end\nstructure S = struct end",
        ),
        Code::BuiltinOnly => new(
            "Primitives of the runtime can be named only in the Basis, which offers them under ordinary names.",
            "val add = _prim \"Int.add\" : int * int -> int",
            "val add = Int.+",
        ),
        Code::AsNeedsVariable => new(
            "`x as p` gives the name `x` to what the pattern `p` matches. Only a variable, with a type perhaps, can stand before `as`.",
            "fun f ((a, b) as x) = x",
            "fun f (x as (a, b)) = x",
        ),
        Code::NeedsParentheses => new(
            "`if`, `case`, `fn`, `while` and `raise` reach as far to the right as possible, and cannot stand as an operand or argument without parentheses around them.",
            "val f = map fn x => x + 1",
            "val f = map (fn x => x + 1)",
        ),
        Code::BadPrecedence => new(
            "The precedence in `infix` and `infixr` is one digit, from 0 (binds loosely) to 9 (binds tightly). Without a digit it is 0.",
            "infix 10 plus",
            "infix 9 plus",
        ),
        Code::BadLabel => new(
            "A record label is a name or a number written in decimal digits from 1 on: the first part of a pair has the label 1.",
            "val first = #0 (1, 2)",
            "val first = #1 (1, 2)",
        ),
        Code::PatternApplication => new(
            "In a pattern a constructor takes one argument. Several values are given as a tuple. As an argument of a function, a constructor with its argument needs parentheses.",
            "datatype t = P of int * int\nval (P x y) = P (1, 2)",
            "datatype t = P of int * int\nval (P (x, y)) = P (1, 2)",
        ),
        Code::PcaseArity => new(
            "Each rule of a `pcase` has as many patterns, with `&` between them, as the `pcase` has expressions. `?` stands for a result that is not needed.",
            "fun f a b = pcase a () & b () of 0 => 0 | otherwise => 1",
            "fun f a b = pcase a () & b () of 0 & ? => 0 | otherwise => 1",
        ),
        Code::StrayToken => new(
            "Here something is closed that is not open: there is one closing bracket or `end` too many, or an opening one is missing.",
            "val x = (1 + 2))",
            "val x = (1 + 2)",
        ),
        Code::ExpressionInDeclarations => new(
            "Between `let` and `in`, and in structures, there are declarations only. An expression that is evaluated for its effect is bound to `_` or `()`.",
            "structure S = struct print \"a\" end",
            "structure S = struct val () = print \"a\" end",
        ),
        Code::FunNeedsArgument => new(
            "`fun` declares functions, which take an argument, if only `()`. Values are declared by `val`.",
            "fun x = 1",
            "val x = 1",
        ),
        _ => return None,
    })
}
