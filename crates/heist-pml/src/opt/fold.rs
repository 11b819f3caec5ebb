//! Folds primitives and conditions whose operands are known.

use crate::anf::{Atom, Cmp, Cond};
use crate::prim::Prim;

/// Returns the result of a primitive, or `None` if its operands do not determine the result.
#[must_use]
pub fn prim(prim: Prim, args: &[Atom]) -> Option<Atom> {
    use Atom::{Int, Real};
    let truth = |truth: bool| Some(Int(i64::from(truth)));
    if let Some(cond) = comparison(prim, args) {
        return self::cond(cond).and_then(truth);
    }
    match (prim, args) {
        (Prim::IntAdd, [Int(a), Int(b)]) => a.checked_add(*b).map(Int),
        (Prim::IntSub, [Int(a), Int(b)]) => a.checked_sub(*b).map(Int),
        (Prim::IntMul, [Int(a), Int(b)]) => a.checked_mul(*b).map(Int),
        (Prim::IntNeg, [Int(a)]) => a.checked_neg().map(Int),
        (Prim::IntAdd | Prim::WordAdd, [x, Int(0)] | [Int(0), x])
        | (Prim::IntSub | Prim::WordSub, [x, Int(0)])
        | (Prim::IntMul | Prim::WordMul, [x, Int(1)] | [Int(1), x])
        | (Prim::IntDiv | Prim::IntQuot | Prim::WordDiv, [x, Int(1)])
        | (Prim::WordShl | Prim::WordShr | Prim::WordSar, [x, Int(0)])
        | (Prim::WordOr | Prim::WordXor, [x, Int(0)] | [Int(0), x]) => Some(*x),
        (Prim::IntDiv, [Int(a), Int(b)]) if *b != 0 && *b != -1 => Some(Int(floor_div(*a, *b))),
        (Prim::IntMod, [Int(a), Int(b)]) if *b != 0 && *b != -1 => {
            Some(Int(a - b * floor_div(*a, *b)))
        }
        (Prim::IntQuot, [Int(a), Int(b)]) if *b != 0 && *b != -1 => Some(Int(a / b)),
        (Prim::IntRem, [Int(a), Int(b)]) if *b != 0 && *b != -1 => Some(Int(a % b)),
        (Prim::IntCheck(bits), [Int(a)]) if sign_extended(*a, bits) == *a => Some(Int(*a)),
        (Prim::WordAdd, [Int(a), Int(b)]) => Some(Int(a.wrapping_add(*b))),
        (Prim::WordSub, [Int(a), Int(b)]) => Some(Int(a.wrapping_sub(*b))),
        (Prim::WordMul, [Int(a), Int(b)]) => Some(Int(a.wrapping_mul(*b))),
        (Prim::WordDiv, [Int(a), Int(b)]) if *b != 0 => Some(Int((*a as u64 / *b as u64) as i64)),
        (Prim::WordMod, [Int(a), Int(b)]) if *b != 0 => Some(Int((*a as u64 % *b as u64) as i64)),
        (Prim::WordAnd, [Int(a), Int(b)]) => Some(Int(a & b)),
        (Prim::WordOr, [Int(a), Int(b)]) => Some(Int(a | b)),
        (Prim::WordXor, [Int(a), Int(b)]) => Some(Int(a ^ b)),
        (Prim::WordNot, [Int(a)]) => Some(Int(!a)),
        (Prim::WordSwap, [Int(a)]) => Some(Int(a.swap_bytes())),
        (Prim::WordShl, [Int(a), Int(n)]) => Some(Int(if *n as u64 >= 64 { 0 } else { a << n })),
        (Prim::WordShr, [Int(a), Int(n)]) => Some(Int(if *n as u64 >= 64 {
            0
        } else {
            (*a as u64 >> n) as i64
        })),
        (Prim::WordSar, [Int(a), Int(n)]) => Some(Int(a >> (*n as u64).min(63))),
        (Prim::WordLow(bits), [Int(a)]) => Some(Int(a & (i64::MAX >> (63 - bits)))),
        (Prim::WordSign(bits), [Int(a)]) => Some(Int(sign_extended(*a, bits))),
        (Prim::RealFromInt, [Int(a)]) => Some(Real((*a as f64).to_bits())),
        (Prim::RealNeg, [Real(a)]) => Some(Real((-f64::from_bits(*a)).to_bits())),
        (Prim::RealBits, [Real(a)]) => Some(Int(*a as i64)),
        (Prim::RealOfBits, [Int(a)]) => Some(Real(*a as u64)),
        _ => None,
    }
}

fn floor_div(a: i64, b: i64) -> i64 {
    let quotient = a / b;
    if (a % b != 0) && ((a < 0) != (b < 0)) {
        quotient - 1
    } else {
        quotient
    }
}

/// Returns the low bits of a word, sign-extended.
fn sign_extended(word: i64, bits: u8) -> i64 {
    word << (64 - bits) >> (64 - bits)
}

/// Returns the condition that a comparison primitive computes.
#[must_use]
pub fn comparison(prim: Prim, args: &[Atom]) -> Option<Cond> {
    let &[a, b] = args else { return None };
    Some(match prim {
        Prim::IntLt => Cond::Int(Cmp::Lt, a, b),
        Prim::IntLe => Cond::Int(Cmp::Le, a, b),
        Prim::IntGt => Cond::Int(Cmp::Gt, a, b),
        Prim::IntGe => Cond::Int(Cmp::Ge, a, b),
        Prim::IntEq => Cond::Int(Cmp::Eq, a, b),
        Prim::IntNe => Cond::Int(Cmp::Ne, a, b),
        Prim::WordLt => Cond::Word(Cmp::Lt, a, b),
        Prim::WordLe => Cond::Word(Cmp::Le, a, b),
        Prim::WordGt => Cond::Word(Cmp::Gt, a, b),
        Prim::WordGe => Cond::Word(Cmp::Ge, a, b),
        Prim::RealLt => Cond::Real(Cmp::Lt, a, b),
        Prim::RealLe => Cond::Real(Cmp::Le, a, b),
        Prim::RealGt => Cond::Real(Cmp::Gt, a, b),
        Prim::RealGe => Cond::Real(Cmp::Ge, a, b),
        Prim::RealEq => Cond::Real(Cmp::Eq, a, b),
        Prim::RealNe => Cond::Real(Cmp::Ne, a, b),
        Prim::Same => Cond::Same(a, b),
        _ => return None,
    })
}

/// Returns whether a condition holds, or `None` if its operands do not determine the result.
#[must_use]
pub fn cond(cond: Cond) -> Option<bool> {
    let holds = |cmp: Cmp, order: std::cmp::Ordering| match cmp {
        Cmp::Eq => order.is_eq(),
        Cmp::Ne => order.is_ne(),
        Cmp::Lt => order.is_lt(),
        Cmp::Le => order.is_le(),
        Cmp::Gt => order.is_gt(),
        Cmp::Ge => order.is_ge(),
    };
    match cond {
        Cond::Int(cmp, Atom::Int(a), Atom::Int(b)) => Some(holds(cmp, a.cmp(&b))),
        Cond::Word(cmp, Atom::Int(a), Atom::Int(b)) => {
            Some(holds(cmp, (a as u64).cmp(&(b as u64))))
        }
        Cond::Int(cmp, a, b) | Cond::Word(cmp, a, b) if a == b => {
            Some(holds(cmp, std::cmp::Ordering::Equal))
        }
        Cond::Same(a, b) if a == b => Some(true),
        Cond::Same(Atom::Imm(_), Atom::Imm(_) | Atom::Static(_))
        | Cond::Same(Atom::Static(_), Atom::Imm(_)) => Some(false),
        Cond::IsImm(Atom::Imm(_)) => Some(true),
        Cond::IsImm(Atom::Static(_)) => Some(false),
        _ => None,
    }
}

/// Returns the negation of a comparison of integers or words, or `None` for other conditions. A comparison of doubles has no such negation:
/// with NaN, both `a < b` and `a >= b` are false.
#[must_use]
pub fn negation(cond: Cond) -> Option<Cond> {
    let not = |cmp: Cmp| match cmp {
        Cmp::Eq => Cmp::Ne,
        Cmp::Ne => Cmp::Eq,
        Cmp::Lt => Cmp::Ge,
        Cmp::Le => Cmp::Gt,
        Cmp::Gt => Cmp::Le,
        Cmp::Ge => Cmp::Lt,
    };
    match cond {
        Cond::Int(cmp, a, b) => Some(Cond::Int(not(cmp), a, b)),
        Cond::Word(cmp, a, b) => Some(Cond::Word(not(cmp), a, b)),
        _ => None,
    }
}
