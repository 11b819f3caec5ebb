//! Code that the tests of every program share.

/// Returns a tiny size for each program. In a build without optimisation, all programs together take seconds.
pub(crate) fn tiny(name: &str) -> u64 {
    match name {
        "fib" => 14,
        "tree" => 1000,
        "nqueens" => 6,
        "uts-bin" => 8,
        "uts-geo" | "uts-cyclic" => 4,
        "uts-linear" => 6,
        "cilksort" => 3000,
        "cilksort-cutoff" => 10_000,
        "dmm" | "lud" => 64,
        "fft" => 1024,
        "jacobi" | "heat" => 24,
        "forkjoin" => 8,
        "words" => 2000,
        "barnes-hut" => 300,
        "stars" => 500,
        "graph" => 2000,
        "quicksort" => 5000,
        "barnes-hut-loops" => 300,
        "star-forces" => 300,
        "raytracer" => 16,
        "smvm" => 30_000,
        "dmm-loops" => 40,
        "rootfix" => 20_000,
        "nested-sums" => 100,
        "word-count" => 4000,
        "inverted-index" => 4000,
        "primes" => 200_000,
        "mandelbrot" => 20,
        "k-means" => 5000,
        "hull" => 20_000,
        _ => panic!("{name} has no tiny size"),
    }
}
