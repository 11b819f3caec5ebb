//! The first call may become a loop; the second is kept a call.

#[inline(never)]
fn fib(n: i64) -> i64 {
    match n {
        0 => 0,
        1 => 1,
        _ => fib(n - 1) + std::hint::black_box(fib as fn(i64) -> i64)(n - 2),
    }
}

fn main() {
    let n = std::env::args().nth(1).map_or(29, |s| s.parse().unwrap());
    println!("fib {n} = {}", fib(n));
}
