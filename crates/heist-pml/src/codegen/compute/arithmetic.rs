//! Translates arithmetic, comparisons and conversions of numbers.

use cranelift_codegen::ir::{
    InstBuilder, InstructionData, Opcode, Type, Value, ValueDef,
    condcodes::{FloatCC, IntCC},
    types::{F32, F64, I8, I16, I32, I64},
};

use super::super::Error;
use super::super::body::Body;
use crate::anf::Atom;
use crate::prim::{BuiltinExn, Prim};

impl Body<'_, '_, '_> {
    #[allow(clippy::too_many_lines)]
    pub(super) fn arithmetic(
        &mut self,
        prim: Prim,
        args: &[Atom],
        v: &[Value],
    ) -> Result<Value, Error> {
        use Prim::*;
        Ok(match prim {
            IntAdd => match (args[0], args[1]) {
                (a, Atom::Int(n)) | (Atom::Int(n), a) => {
                    let a = if matches!(args[1], Atom::Int(_)) {
                        v[0]
                    } else {
                        self.atom(a)
                    };
                    let sum = self.b.ins().iadd_imm_s(a, n);
                    self.add_constant(a, n, sum);
                    sum
                }
                _ => {
                    let (sum, over) = self.b.ins().sadd_overflow(v[0], v[1]);
                    self.raise_if(over, BuiltinExn::Overflow);
                    sum
                }
            },
            IntSub => match args[1] {
                Atom::Int(n) if n != i64::MIN => {
                    let sum = self.b.ins().iadd_imm_s(v[0], -n);
                    self.add_constant(v[0], -n, sum);
                    sum
                }
                _ => {
                    let (sum, over) = self.b.ins().ssub_overflow(v[0], v[1]);
                    self.raise_if(over, BuiltinExn::Overflow);
                    sum
                }
            },
            IntMul => {
                let (product, over) = self.b.ins().smul_overflow(v[0], v[1]);
                self.raise_if(over, BuiltinExn::Overflow);
                product
            }
            IntNeg => {
                let least = self.b.ins().icmp_imm_s(IntCC::Equal, v[0], i64::MIN);
                self.raise_if(least, BuiltinExn::Overflow);
                self.b.ins().ineg(v[0])
            }
            IntDiv => match Self::power(args[1]) {
                Some(shift) => self.b.ins().sshr_imm_u(v[0], i64::from(shift)),
                None => {
                    self.check_divisor(args, v, true);
                    let quotient = self.b.ins().sdiv(v[0], v[1]);
                    let product = self.b.ins().imul(quotient, v[1]);
                    let remainder = self.b.ins().isub(v[0], product);
                    let up = self.rounds_up(remainder, v[1]);
                    let up = self.b.ins().uextend(I64, up);
                    self.b.ins().isub(quotient, up)
                }
            },
            IntMod => match Self::power(args[1]) {
                Some(shift) => self.b.ins().band_imm_s(v[0], (1 << shift) - 1),
                None => {
                    self.check_divisor(args, v, false);
                    let divisor = self.tame_divisor(args, v, false);
                    let remainder = self.b.ins().srem(v[0], divisor);
                    let up = self.rounds_up(remainder, divisor);
                    let more = self.b.ins().iadd(remainder, v[1]);
                    self.b.ins().select(up, more, remainder)
                }
            },
            IntQuot => {
                self.check_divisor(args, v, true);
                self.b.ins().sdiv(v[0], v[1])
            }
            IntRem => {
                self.check_divisor(args, v, false);
                let divisor = self.tame_divisor(args, v, false);
                self.b.ins().srem(v[0], divisor)
            }
            WrapQuot => {
                self.check_divisor(args, v, false);
                let divisor = self.tame_divisor(args, v, false);
                let quotient = self.b.ins().sdiv(v[0], divisor);
                let minus = self.b.ins().ineg(v[0]);
                let one = self.b.ins().icmp_imm_s(IntCC::Equal, v[1], -1);
                self.b.ins().select(one, minus, quotient)
            }
            WrapRem => {
                let divisor = self.tame_divisor(args, v, true);
                self.b.ins().srem(v[0], divisor)
            }
            IntCheck(bits) => {
                let same = self.sign_extended(v[0], bits);
                let wrong = self.b.ins().icmp(IntCC::NotEqual, same, v[0]);
                self.raise_if(wrong, BuiltinExn::Overflow);
                v[0]
            }
            IntLt => self.compare(IntCC::SignedLessThan, v),
            IntLe => self.compare(IntCC::SignedLessThanOrEqual, v),
            IntGt => self.compare(IntCC::SignedGreaterThan, v),
            IntGe => self.compare(IntCC::SignedGreaterThanOrEqual, v),
            IntEq | Same => self.compare(IntCC::Equal, v),
            IntNe => self.compare(IntCC::NotEqual, v),
            WordLt => self.compare(IntCC::UnsignedLessThan, v),
            WordLe => self.compare(IntCC::UnsignedLessThanOrEqual, v),
            WordGt => self.compare(IntCC::UnsignedGreaterThan, v),
            WordGe => self.compare(IntCC::UnsignedGreaterThanOrEqual, v),
            WordAdd => self.b.ins().iadd(v[0], v[1]),
            WordSub => self.b.ins().isub(v[0], v[1]),
            WordMul => self.b.ins().imul(v[0], v[1]),
            WordDiv | WordMod => {
                if !matches!(args[1], Atom::Int(n) if n != 0) {
                    let zero = self.b.ins().icmp_imm_u(IntCC::Equal, v[1], 0);
                    self.raise_if(zero, BuiltinExn::Div);
                }
                if prim == WordDiv {
                    self.b.ins().udiv(v[0], v[1])
                } else {
                    self.b.ins().urem(v[0], v[1])
                }
            }
            WordAnd => self.b.ins().band(v[0], v[1]),
            WordOr => self.b.ins().bor(v[0], v[1]),
            WordXor => self.b.ins().bxor(v[0], v[1]),
            WordNot => self.b.ins().bnot(v[0]),
            WordSwap => self.b.ins().bswap(v[0]),
            WordShl | WordShr | WordSar => self.shift(prim, args, v),
            WordLow(bits) => match narrow(bits) {
                Some(narrow) => {
                    let low = self.b.ins().ireduce(narrow, v[0]);
                    self.b.ins().uextend(I64, low)
                }
                None => self.b.ins().band_imm_s(v[0], i64::MAX >> (63 - bits)),
            },
            WordSign(bits) => self.sign_extended(v[0], bits),
            RealAdd => self.b.ins().fadd(v[0], v[1]),
            RealSub => self.b.ins().fsub(v[0], v[1]),
            RealMul => self.b.ins().fmul(v[0], v[1]),
            RealDiv => self.b.ins().fdiv(v[0], v[1]),
            RealNeg => self.b.ins().fneg(v[0]),
            RealAbs => self.b.ins().fabs(v[0]),
            RealSqrt => self.b.ins().sqrt(v[0]),
            RealFloor => self.b.ins().floor(v[0]),
            RealCeil => self.b.ins().ceil(v[0]),
            RealTrunc => self.b.ins().trunc(v[0]),
            RealNearest => self.b.ins().nearest(v[0]),
            RealMin | RealMax => {
                let code = if prim == RealMin {
                    FloatCC::LessThan
                } else {
                    FloatCC::GreaterThan
                };
                let first = self.b.ins().fcmp(code, v[0], v[1]);
                let no_second = self.b.ins().fcmp(FloatCC::Unordered, v[1], v[1]);
                let other = self.b.ins().select(no_second, v[0], v[1]);
                self.b.ins().select(first, v[0], other)
            }
            RealLt => self.compare_reals(FloatCC::LessThan, v),
            RealLe => self.compare_reals(FloatCC::LessThanOrEqual, v),
            RealGt => self.compare_reals(FloatCC::GreaterThan, v),
            RealGe => self.compare_reals(FloatCC::GreaterThanOrEqual, v),
            RealEq => self.compare_reals(FloatCC::Equal, v),
            RealNe => self.compare_reals(FloatCC::NotEqual, v),
            RealFromInt => self.b.ins().fcvt_from_sint(F64, v[0]),
            RealToInt => self.b.ins().fcvt_to_sint_sat(I64, v[0]),
            RealToSingle => {
                let single = self.b.ins().fdemote(F32, v[0]);
                self.b.ins().fpromote(F64, single)
            }
            SingleAdd | SingleSub | SingleMul | SingleDiv => {
                let (x, y) = (self.single(v[0]), self.single(v[1]));
                let result = match prim {
                    SingleAdd => self.b.ins().fadd(x, y),
                    SingleSub => self.b.ins().fsub(x, y),
                    SingleMul => self.b.ins().fmul(x, y),
                    _ => self.b.ins().fdiv(x, y),
                };
                self.b.ins().fpromote(F64, result)
            }
            RealBits => {
                let flags = cranelift_codegen::ir::MemFlagsData::new();
                self.b.ins().bitcast(I64, flags, v[0])
            }
            RealOfBits => {
                let flags = cranelift_codegen::ir::MemFlagsData::new();
                self.b.ins().bitcast(F64, flags, v[0])
            }
            other => return Err(Error(format!("not supported yet: {}", other.name()))),
        })
    }

    fn compare(&mut self, code: IntCC, values: &[Value]) -> Value {
        let value = self.b.ins().icmp(code, values[0], values[1]);
        self.bool(value)
    }

    /// Converts `real`, a double whose value has single precision, to Cranelift's type of 32 bits. If `real` is itself the conversion of
    /// such a value of 32 bits, returns that value.
    fn single(&mut self, real: Value) -> Value {
        let dfg = &self.b.func.dfg;
        if let ValueDef::Result(made, _) = dfg.value_def(real) {
            match dfg.insts[made] {
                InstructionData::Unary {
                    opcode: Opcode::Fpromote,
                    arg,
                } => return arg,
                InstructionData::UnaryIeee64 { imm, .. } => {
                    return self.b.ins().f32const(imm.as_f64() as f32);
                }
                _ => {}
            }
        }
        self.b.ins().fdemote(F32, real)
    }

    fn compare_reals(&mut self, code: FloatCC, values: &[Value]) -> Value {
        let value = self.b.ins().fcmp(code, values[0], values[1]);
        self.bool(value)
    }

    fn bool(&mut self, value: Value) -> Value {
        self.b.ins().uextend(I64, value)
    }

    fn shift(&mut self, prim: Prim, args: &[Atom], v: &[Value]) -> Value {
        let counted = matches!(args[1], Atom::Int(n) if (0..64).contains(&n));
        let shifted = match prim {
            Prim::WordShl => self.b.ins().ishl(v[0], v[1]),
            Prim::WordShr => self.b.ins().ushr(v[0], v[1]),
            _ => {
                let last = self.b.ins().iconst(I64, 63);
                let count = if counted {
                    v[1]
                } else {
                    self.b.ins().umin(v[1], last)
                };
                return self.b.ins().sshr(v[0], count);
            }
        };
        if counted {
            return shifted;
        }
        let fits = self.b.ins().icmp_imm_u(IntCC::UnsignedLessThan, v[1], 64);
        let zero = self.b.ins().iconst(I64, 0);
        self.b.ins().select(fits, shifted, zero)
    }

    /// Raises `Overflow` if `sum` has wrapped. `sum` is `a + b`, and `b` is constant. For `b >= 0`, the addition has wrapped if and only if
    /// `sum < a`. For `b < 0`, it has wrapped if and only if `sum > a`.
    fn add_constant(&mut self, a: Value, b: i64, sum: Value) {
        let code = if b >= 0 {
            IntCC::SignedLessThan
        } else {
            IntCC::SignedGreaterThan
        };
        let wrong = self.b.ins().icmp(code, sum, a);
        self.raise_if(wrong, BuiltinExn::Overflow);
    }

    /// Raises `Div` if the divisor is 0. If `overflow` is true, also raises `Overflow` for the
    /// smallest number divided by -1.
    fn check_divisor(&mut self, args: &[Atom], v: &[Value], overflow: bool) {
        match args[1] {
            Atom::Int(n) if n != 0 && n != -1 => return,
            Atom::Int(-1) => {}
            _ => {
                let zero = self.b.ins().icmp_imm_u(IntCC::Equal, v[1], 0);
                self.raise_if(zero, BuiltinExn::Div);
            }
        }
        if overflow {
            let one = self.b.ins().icmp_imm_s(IntCC::Equal, v[1], -1);
            let least = self.b.ins().icmp_imm_s(IntCC::Equal, v[0], i64::MIN);
            let both = self.b.ins().band(one, least);
            self.raise_if(both, BuiltinExn::Overflow);
        }
    }

    /// Returns the divisor, or 1 if the machine's division would trap for this divisor. With the divisor 1, the remainder is 0.
    fn tame_divisor(&mut self, args: &[Atom], v: &[Value], zero: bool) -> Value {
        if matches!(args[1], Atom::Int(n) if n != 0 && n != -1) {
            return v[1];
        }
        let one = self.b.ins().iconst(I64, 1);
        let tame = if zero {
            let next = self.b.ins().iadd_imm_s(v[1], 1);
            self.b.ins().icmp_imm_u(IntCC::UnsignedLessThan, next, 2)
        } else {
            self.b.ins().icmp_imm_s(IntCC::Equal, v[1], -1)
        };
        self.b.ins().select(tame, one, v[1])
    }

    /// Returns the condition under which the result of a division must be corrected, because it must round down. The condition holds if the
    /// remainder is not 0 and its sign differs from the sign of the divisor.
    fn rounds_up(&mut self, remainder: Value, divisor: Value) -> Value {
        let signs = self.b.ins().bxor(remainder, divisor);
        let differ = self.b.ins().icmp_imm_s(IntCC::SignedLessThan, signs, 0);
        let some = self.b.ins().icmp_imm_u(IntCC::NotEqual, remainder, 0);
        self.b.ins().band(differ, some)
    }

    fn power(atom: Atom) -> Option<u32> {
        match atom {
            Atom::Int(n) if n > 0 && n & (n - 1) == 0 => Some(n.trailing_zeros()),
            _ => None,
        }
    }

    /// Returns the low bits of a value, sign-extended.
    fn sign_extended(&mut self, value: Value, bits: u8) -> Value {
        match narrow(bits) {
            Some(narrow) => {
                let low = self.b.ins().ireduce(narrow, value);
                self.b.ins().sextend(I64, low)
            }
            None => {
                let unused = i64::from(64 - bits);
                let high = self.b.ins().ishl_imm_u(value, unused);
                self.b.ins().sshr_imm_u(high, unused)
            }
        }
    }
}

/// Returns the machine type with this number of bits, if there is one.
fn narrow(bits: u8) -> Option<Type> {
    match bits {
        8 => Some(I8),
        16 => Some(I16),
        32 => Some(I32),
        _ => None,
    }
}
