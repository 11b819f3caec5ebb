//! Lists of CPUs as text.

/// Returns a list of CPUs as text in the form of the kernel: `[0, 1, 2, 5]` becomes `0-2,5`.
pub(crate) fn ranges(cpus: &[usize]) -> String {
    let mut text = String::new();
    let mut rest = cpus;
    while let [first, ..] = rest {
        let run = rest
            .iter()
            .enumerate()
            .take_while(|&(i, &cpu)| cpu == first + i)
            .count();
        if !text.is_empty() {
            text.push(',');
        }
        text.push_str(&first.to_string());
        if run > 1 {
            text.push_str(&format!("-{}", first + run - 1));
        }
        rest = &rest[run..];
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_read_like_the_kernels() {
        assert_eq!(ranges(&[]), "");
        assert_eq!(ranges(&[3]), "3");
        assert_eq!(ranges(&[0, 1, 2, 5, 7, 8]), "0-2,5,7-8");
    }
}
