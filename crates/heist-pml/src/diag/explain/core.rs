//! Explains errors in scopes and types of the core language.

use super::{Code, Explanation, new};

pub(super) fn text(code: Code) -> Option<Explanation> {
    Some(match code {
        Code::TypeMismatch => new(
            "The expression has one type, and what is around it asks for another. The message shows both, and where the expected type comes from.",
            "val xs = [1, 2, \"three\"]",
            "val xs = [1, 2, 3]",
        ),
        Code::ArgumentMismatch => new(
            "A function is applied to an argument of another type than it takes. A pair `(x, y)` is one argument, `f x y` are two.",
            "fun add (x, y) = x + y\nval z = add 1 2",
            "fun add (x, y) = x + y\nval z = add (1, 2)",
        ),
        Code::BranchMismatch => new(
            "Both branches of an `if`, and all rules of a `case`, `fn` or `handle`, give results of one type.",
            "fun f x = if x then 1 else \"no\"",
            "fun f x = if x then 1 else 0",
        ),
        Code::AnnotationMismatch => new(
            "A type was written for an expression, pattern or result, and it is not the type that follows from the program.",
            "val x : string = 1",
            "val x : int = 1",
        ),
        Code::PatternMismatch => new(
            "A pattern is of another type than what it is matched with, or than the patterns of the other rules.",
            "fun f x = case x of 0 => 1 | \"a\" => 2 | _ => 3",
            "fun f x = case x of 0 => 1 | 1 => 2 | _ => 3",
        ),
        Code::NotAFunction => new(
            "What stands before an argument has to be a function. Often there is one argument too many, or an operator or `;` is missing.",
            "val x = 1 2",
            "val x = 1 + 2",
        ),
        Code::CircularType => new(
            "For the program to be right, a type would have to be a part of itself. Often a function is applied to itself, or a list to an element in place of a list.",
            "fun f x = f",
            "fun f x = f x",
        ),
        Code::NotEquality => new(
            "`=` and `<>` compare values of types that have equality. Functions, reals and types that contain them, and abstract types without `eqtype`, have none. Reals are compared by `Real.==`.",
            "val b = 1.0 = 2.0",
            "val b = Real.== (1.0, 2.0)",
        ),
        Code::RigidTypeVariable => new(
            "A type variable in an annotation says that the function works for any type there. Its definition works for one type only, or makes two such variables the same.",
            "fun 'a f (x : 'a) = x + 1",
            "fun f (x : int) = x + 1",
        ),
        Code::TypeEscapes => new(
            "A value is of a type that was declared inside an expression, and is used outside of it, where the type has no name; or a variable around gets a type that is declared later.",
            "val x = let datatype t = A in A end",
            "datatype t = A\nval x = A",
        ),
        Code::UnboundVariable => new(
            "No variable or constructor of this name is in scope. Functions that call each other are joined by `and`; functions of a structure are written with its name, or the structure is opened.",
            "val x = lenght [1]",
            "val x = length [1]",
        ),
        Code::UnboundConstructor => new(
            "No constructor of this name is in scope where a pattern applies one. A function is declared by `fun`, not by `val`.",
            "fun f (Som x) = x",
            "fun f (SOME x) = x | f NONE = 0",
        ),
        Code::UnboundType => new(
            "No type of this name is in scope. Types that refer to each other are joined by `and`.",
            "fun f (x : integer) = x",
            "fun f (x : int) = x",
        ),
        Code::UnboundTypeVariable => new(
            "The type variables on the right of a type declaration are parameters, given on its left.",
            "type t = 'a list",
            "type 'a t = 'a list",
        ),
        Code::UnboundException => new(
            "No exception of this name is in scope.",
            "exception E = NoSuchThing",
            "exception NoSuchThing\nexception E = NoSuchThing",
        ),
        Code::TypeArity => new(
            "A type is given more or fewer arguments than it has parameters.",
            "val xs : list = []",
            "val xs : int list = []",
        ),
        Code::ConstructorArity => new(
            "In a pattern, a constructor that carries a value is given a pattern for it, and one that carries none is not.",
            "fun f SOME = 1 | f NONE = 0",
            "fun f (SOME _) = 1 | f NONE = 0",
        ),
        Code::NotAConstructor => new(
            "Only constructors can be applied in patterns, not functions: a function cannot be run backwards to find its argument.",
            "fun double x = 2 * x\nfun half (double x) = x",
            "fun double x = 2 * x\nfun half x = x div 2",
        ),
        Code::RealPattern => new(
            "Reals have no equality, and cannot be matched with.",
            "fun f 0.0 = true | f _ = false",
            "fun f x = Real.== (x, 0.0)",
        ),
        Code::LiteralRange => new(
            "The literal is outside of the range of its type. `IntInf.int` has no bounds.",
            "val x : Word8.word = 0w256",
            "val x : Word8.word = 0w255",
        ),
        Code::FlexibleRecord => new(
            "A pattern with `...`, or a selector `#label`, is used on a record whose other fields cannot be found out from the program around. An annotation says which they are.",
            "fun f r = #a r",
            "fun f (r : {a : int, b : int}) = #a r",
        ),
        Code::MissingField => new(
            "The record has no field with this label.",
            "val x = #c {a = 1, b = 2}",
            "val x = #b {a = 1, b = 2}",
        ),
        Code::Overloading => new(
            "Operators such as `+` and `<` are defined for some types only: numbers, and for comparisons also characters and strings. Strings are joined by `^`, lists by `@`.",
            "val s = \"a\" + \"b\"",
            "val s = \"a\" ^ \"b\"",
        ),
        Code::DuplicatePattern => new(
            "A variable can occur once in a pattern, and once among the arguments of a function. To ask for equal values, compare them.",
            "fun same (x, x) = true | same _ = false",
            "fun same (x, y) = x = y",
        ),
        Code::AlternativeVariables => new(
            "Each alternative of a pattern binds the same variables: whichever matches, the expression behind it may use all of them.",
            "fun first ((x, _) | (_, y)) = x",
            "fun one ((x, 0) | (_, x)) = x",
        ),
        Code::DuplicateBinding => new(
            "Declarations joined by `and` take effect together, and cannot bind a name twice.",
            "val x = 1 and x = 2",
            "val x = 1 and y = 2",
        ),
        Code::DuplicateConstructor => new(
            "The constructors of datatypes declared together have different names, and so have exceptions.",
            "datatype t = A | B | A",
            "datatype t = A | B | C",
        ),
        Code::DuplicateLabel => new(
            "The fields of a record have different labels.",
            "val r = {a = 1, a = 2}",
            "val r = {a = 1, b = 2}",
        ),
        Code::DuplicateTypeVariable => new(
            "The parameters of a type, or the type variables of a `val` or `fun`, have different names.",
            "type ('a, 'a) t = 'a list",
            "type ('a, 'b) t = 'a list",
        ),
        Code::NestedTypeVariable => new(
            "A `val` or `fun` says that it is polymorphic in a type variable which belongs to a declaration around already.",
            "fun 'a f (x : 'a) = let fun 'a g (y : 'a) = y in g x end",
            "fun 'a f (x : 'a) = let fun 'b g (y : 'b) = y in g x end",
        ),
        Code::RaiseNeedsExn => new(
            "`raise` takes an exception, with its argument if it has one.",
            "fun f () = raise \"wrong\"",
            "fun f () = raise Fail \"wrong\"",
        ),
        Code::HandleNeedsExn => new(
            "The patterns of a `handle` match exceptions.",
            "val x = 1 handle 0 => 2",
            "val x = 1 handle Overflow => 2",
        ),
        Code::ReservedBinding => new(
            "`true`, `false`, `nil`, `::`, `ref` and `=` cannot be bound anew, nor can `it` be a constructor.",
            "datatype t = true | maybe",
            "datatype t = yes | maybe",
        ),
        Code::RecNeedsVariable => new(
            "`val rec` gives names to functions: each pattern is a variable.",
            "val rec (f, g) = fn x => x",
            "val rec f = fn x => x",
        ),
        Code::ExceptionPolymorphic => new(
            "An exception carries a value of one type: whoever handles it has to know which. A type variable is allowed only if it belongs to a function around.",
            "exception E of 'a",
            "exception E of int",
        ),
        Code::NotAnException => new(
            "Only an exception can be given a second name by `exception E = ...`.",
            "exception E = SOME",
            "exception E = Subscript",
        ),
        Code::ConditionNotBool => new(
            "The condition of an `if` or `while`, and both sides of `andalso` and `orelse`, are of type `bool`.",
            "val x = if 1 then 2 else 3",
            "val x = if 1 > 0 then 2 else 3",
        ),
        Code::UnknownPrimitive => new(
            "A file of the Basis names a primitive or runtime exception that this compiler does not have.",
            "",
            "",
        ),
        _ => return None,
    })
}
