//! Computes Fibonacci numbers. `black_box` keeps the second call, which LLVM would otherwise turn
//! into a loop.

use std::hint::black_box;

fn fib(n: i64) -> i64 {
    if n < 2 {
        n
    } else {
        let a = fib(n - 1);
        let b = black_box(fib(n - 2));
        a + b
    }
}

fn main() {
    let n = std::env::args().nth(1).map_or(29, |s| s.parse().unwrap());
    println!("fib {n} = {}", fib(n));
}
