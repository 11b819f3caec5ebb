//! Random expressions with parallel forms. The values of these expressions do not depend on the order of evaluation.

use crate::expression::{Gen, Ty};

impl Gen {
    /// Returns an expression whose outermost form is a parallel form or a call of a function that forks.
    pub(crate) fn fork(&mut self, ty: &Ty, d: usize) -> String {
        match self.random.below(8) {
            0 | 1 => {
                // Makes a parallel tuple, and selects one of its parts.
                let count = 2 + self.random.below(3);
                let own = self.random.below(count);
                let parts: Vec<String> = (0..count)
                    .map(|at| {
                        let part = if at == own { ty.clone() } else { self.ty(1) };
                        self.exp(&part, d)
                    })
                    .collect();
                format!("(#{} (| {} |))", own + 1, parts.join(", "))
            }
            2 => {
                let (left, right) = (self.ty(2), self.ty(1));
                let parts = [self.exp(&left, d), self.exp(&right, d)];
                let names = [self.name(), self.name()];
                let written = [self.write(&left), self.write(&right)];
                let mark = self.vars.len();
                self.vars.push((names[0].clone(), left));
                self.vars.push((names[1].clone(), right));
                let body = self.exp(ty, d);
                self.vars.truncate(mark);
                format!(
                    "(let val ({} : {}, {} : {}) = (| {} |) in {body} end)",
                    names[0],
                    written[0],
                    names[1],
                    written[1],
                    parts.join(", ")
                )
            }
            3 => {
                let parts: Vec<String> = (0..2 + self.random.below(3))
                    .map(|_| format!("fn () => {}", self.exp(ty, d)))
                    .collect();
                let at = self.random.below(5);
                format!("(pick (parN [{}], {at}))", parts.join(", "))
            }
            4 => {
                // Makes a comprehension over the elements of a list, which omits some of them.
                let from = self.ty(1);
                let list = self.exp(&Ty::List(Box::new(from.clone())), d);
                let name = self.name();
                let mark = self.vars.len();
                self.vars.push((name.clone(), from.clone()));
                let body = self.exp(ty, d);
                let test = if self.random.chance(50) {
                    format!(" where {}", self.exp(&Ty::Bool, d.min(2)))
                } else {
                    String::new()
                };
                self.vars.truncate(mark);
                let array = format!("[| {body} | {name} in PArray.fromList {list}{test} |]");
                format!(
                    "(pick (PArray.toList {array} @ [{}], {}))",
                    self.leaf(ty),
                    self.random.below(4)
                )
            }
            5 => {
                let inner = self.ty(2);
                let value = self.exp(&inner, d);
                let (name, written) = (self.name(), self.write(&inner));
                self.vars.push((name.clone(), inner));
                let body = self.exp(ty, d);
                self.vars.pop();
                format!("(let pval {name} : {written} = {value} in {body} end)")
            }
            6 => {
                let body = self.exp(ty, d);
                format!("(spread {} (fn () => {body}))", 1 + self.random.below(4))
            }
            _ => {
                // Applies a function to the elements of an array of numbers.
                let count = self.random.below(40);
                let function = self.lambda(&Ty::Int, ty, d);
                let at = self.random.below(40);
                match self.random.below(3) {
                    0 => format!("(subP (PArray.tab ({count}, {function}), {at}))"),
                    1 => format!(
                        "(subP (PArray.rev (PArray.map {function} [| 0 to {count} |]), {at}))"
                    ),
                    _ => format!(
                        "(subP (PArray.map {function} (scanP (fn (a, b) => m (a + b)) 0 [| 1 to {count} |]), {at}))"
                    ),
                }
            }
        }
    }
}
