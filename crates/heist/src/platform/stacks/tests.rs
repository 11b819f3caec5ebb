use super::super::extents::find_guarded;
use super::super::slab::{Guard, is_readable, page_size};
use super::{LEAST, MOST, SHALLOW, StackCache, StackError, Stacks};
use std::io;

/// Returns the lowest byte above the guard.
fn low(stack: &super::Stack) -> *mut u8 {
    stack.limit().as_ptr().wrapping_add(page_size())
}

/// Returns the number of bytes of a stack that are in memory.
fn resident(stack: &super::Stack) -> usize {
    let page = page_size();
    let bytes = (stack.top().as_ptr().addr() - low(stack).addr()).next_multiple_of(page);
    let mut pages = vec![0_u8; bytes / page];
    // SAFETY: the range is mapped, and the vector has a byte for each page.
    let done = unsafe { libc::mincore(low(stack).cast(), bytes, pages.as_mut_ptr().cast()) };
    assert_eq!(done, 0, "{}", io::Error::last_os_error());
    pages.iter().filter(|page| **page & 1 == 1).count() * page
}

/// Writes into each page down to `bytes` below the top.
fn touch(stack: &super::Stack, bytes: usize) {
    let bytes = bytes.min(stack.top().as_ptr().addr() - low(stack).addr());
    for offset in (1..=bytes).step_by(1024) {
        // SAFETY: the page is within the stack, which this test has taken.
        unsafe { stack.top().as_ptr().sub(offset).write(7) };
    }
}

#[test]
fn sizes_are_rounded_and_bounded() {
    assert_eq!(Stacks::new(0).unwrap().bytes(), LEAST);
    assert_eq!(
        Stacks::new(LEAST + 1).unwrap().bytes(),
        LEAST + 2 * page_size()
    );
    let error = Stacks::new(MOST + 1).unwrap_err();
    assert!(matches!(error, StackError::TooLarge { asked } if asked == MOST + 1));
}

#[test]
fn every_stack_is_usable_and_has_its_guard() {
    for guard in [Guard::best(), Guard::Protection] {
        let stacks = Stacks::with_guard(LEAST, guard).unwrap();
        let taken: Vec<_> = (0..300).map(|_| stacks.take().unwrap()).collect();
        for (index, stack) in taken.iter().enumerate() {
            touch(stack, LEAST);
            // SAFETY: this is the lowest byte of the stack, which this test has taken.
            unsafe { low(stack).write(index as u8) };
        }
        for (index, stack) in taken.iter().enumerate() {
            let low = low(stack);
            // SAFETY: this is the lowest byte of the stack, which this test has taken.
            assert_eq!(unsafe { low.read() }, index as u8);
            assert!(!is_readable(low.wrapping_sub(1)));
            assert!(!is_readable(stack.limit().as_ptr()));
            let guarded = find_guarded(low.addr() - 1).unwrap();
            assert_eq!((guarded.top, guarded.bytes), (stack.top(), LEAST));
            assert_eq!(find_guarded(stack.limit().as_ptr().addr()), Some(guarded));
            assert_eq!(find_guarded(low.addr()), None);
        }
    }
}

#[test]
fn neighbours_begin_in_other_sets_of_the_cache() {
    for bytes in [LEAST, 20 << 10, 60 << 10, 64 << 10, 1 << 20] {
        let stacks = Stacks::new(bytes).unwrap();
        let taken: Vec<_> = (0..16).map(|_| stacks.take().unwrap()).collect();
        let offset = |stack: &super::Stack| stack.top().addr().get() % page_size();
        let mut offsets: Vec<_> = taken.iter().map(offset).collect();
        offsets.sort_unstable();
        offsets.dedup();
        assert_eq!(offsets.len(), 16, "{bytes}: {offsets:?}");
    }
}

#[test]
fn the_last_one_back_goes_first() {
    let stacks = Stacks::new(LEAST).unwrap();
    let (one, two) = (stacks.take().unwrap(), stacks.take().unwrap());
    let (first, second) = (one.top(), two.top());
    drop(one);
    drop(two);
    let two = stacks.take().unwrap();
    let one = stacks.take().unwrap();
    assert_eq!((one.top(), two.top()), (first, second));
}

#[test]
fn idle_stacks_keep_a_bounded_amount_of_memory() {
    let stacks = Stacks::new(1 << 20).unwrap();
    let warm = stacks.0.warm;
    let taken: Vec<_> = (0..warm + 5).map(|_| stacks.take().unwrap()).collect();
    for stack in &taken {
        touch(stack, (1 << 19) - 2048);
        assert_eq!(resident(stack), 1 << 19);
    }
    let tops: Vec<_> = taken.iter().map(super::Stack::top).collect();
    drop(taken);
    {
        let state = stacks.0.state();
        assert_eq!((state.warm.len(), state.shallow.len()), (warm, 5));
    }
    let taken: Vec<_> = (0..warm + 5).map(|_| stacks.take().unwrap()).collect();
    for stack in &taken {
        let trimmed = tops[..5].contains(&stack.top());
        let expected = if trimmed { page_size() } else { 1 << 19 };
        assert_eq!(resident(stack), expected);
        assert!(!is_readable(stack.limit().as_ptr()), "the guard is gone");
    }
}

#[test]
fn beyond_the_shallow_ones_all_memory_goes_back() {
    let stacks = Stacks::new(LEAST).unwrap();
    let count = stacks.0.warm + SHALLOW + 3;
    let taken: Vec<_> = (0..count).map(|_| stacks.take().unwrap()).collect();
    taken.iter().for_each(|stack| touch(stack, 1));
    drop(taken);
    {
        let state = stacks.0.state();
        assert_eq!((state.shallow.len(), state.cold.len()), (SHALLOW, 3));
        assert_eq!(state.stacks(), count);
    }
    let taken: Vec<_> = (0..count).map(|_| stacks.take().unwrap()).collect();
    let touched: usize = taken.iter().map(resident).sum();
    assert_eq!(touched, (count - 3) * page_size());
    assert!(!is_readable(taken[count - 1].limit().as_ptr()));
}

#[test]
fn slabs_are_unmapped_with_the_last_stack() {
    let stacks = Stacks::new(LEAST).unwrap();
    let stack = stacks.take().unwrap();
    let guard = stack.limit().as_ptr().addr();
    drop(stacks);
    assert!(find_guarded(guard).is_some());
    touch(&stack, LEAST);
    drop(stack);
    // Another test may have mapped a slab at this address, but its stacks have another size.
    assert!(find_guarded(guard).is_none_or(|found| found.bytes != LEAST));
}

#[test]
fn caches_exchange_through_the_supply() {
    let stacks = Stacks::new(LEAST).unwrap();
    let (mut taker, mut giver) = (
        StackCache::new(stacks.clone()),
        StackCache::new(stacks.clone()),
    );
    let mut seen = std::collections::HashSet::new();
    for _ in 0..1000 {
        let stack = taker.take().unwrap();
        seen.insert(stack.top());
        giver.give(stack);
    }
    // The bound is the size of a full cache plus the number of stacks that return to the taker.
    assert!(seen.len() <= 48, "{}", seen.len());
    let stack = giver.take().unwrap();
    let top = stack.top();
    giver.give(stack);
    assert_eq!(giver.take().unwrap().top(), top);
    drop((taker, giver));
    // Stacks return in batches, the oldest first.
    let (mut taker, mut giver) = (
        StackCache::new(stacks.clone()),
        StackCache::new(stacks.clone()),
    );
    let warm = || stacks.0.state().warm.len();
    let taken: Vec<_> = (0..33).map(|_| stacks.take().unwrap()).collect();
    let (oldest, left) = (taken[0].top(), warm());
    taken.into_iter().for_each(|stack| giver.give(stack));
    assert_eq!(warm(), left + 16);
    let mut taken = vec![taker.take().unwrap()];
    assert_eq!(warm(), left);
    taken.extend((1..16).map(|_| taker.take().unwrap()));
    assert_eq!((warm(), taken[15].top()), (left, oldest));
    drop((taker, giver, taken));
    let state = stacks.0.state();
    assert_eq!(state.warm.len(), state.stacks());
    drop(state);
    assert_eq!(std::sync::Arc::strong_count(&stacks.0), 1);
}

#[test]
fn threads_share_a_supply() {
    let stacks = Stacks::new(LEAST).unwrap();
    std::thread::scope(|scope| {
        for seed in 0..4_usize {
            let stacks = &stacks;
            scope.spawn(move || {
                let mut held = Vec::new();
                for round in 0..2000 {
                    let stack = stacks.take().unwrap();
                    let mark = stack.top().as_ptr().wrapping_sub(8).cast::<usize>();
                    // SAFETY: the byte is within the stack, which this test has taken.
                    unsafe { mark.write(seed) };
                    held.push((stack, mark));
                    if (round * 7 + seed) % 3 != 0 {
                        let (_stack, mark) = held.swap_remove(round % held.len());
                        // SAFETY: the byte is within the stack, which this test has taken and drops
                        // later.
                        assert_eq!(unsafe { mark.read() }, seed);
                    }
                }
            });
        }
    });
}

/// Reaches the system's limit of mappings in a separate process, because other tests need mappings, too.
#[cfg(target_os = "linux")]
#[test]
fn the_kernels_limit_is_named() {
    const CHILD: &str = "HEIST_TEST_EXHAUST_MAPPINGS";
    if std::env::var_os(CHILD).is_some() {
        let stacks = Stacks::with_guard(LEAST, Guard::Protection).unwrap();
        let mut taken = Vec::new();
        let error = loop {
            match stacks.take() {
                Ok(stack) => taken.push(stack),
                Err(error) => break error,
            }
        };
        // The stack whose guard the kernel refused is not lost: when another stack is released, the refused stack is available again.
        assert_eq!(stacks.0.state().bare.len(), 1);
        assert!(stacks.take().is_err());
        assert_eq!(stacks.0.state().bare.len(), 1);
        let count = taken.len();
        let text = error.to_string();
        drop((error, taken));
        assert!(stacks.take().is_ok());
        drop(stacks);
        println!("count {count}: {text}");
        return;
    }
    if super::max_map_count().is_none_or(|limit| limit > 1 << 20) {
        // With such a limit, the test would use up this machine's memory.
        return;
    }
    let output = std::process::Command::new(std::env::current_exe().unwrap())
        .args([
            "--exact",
            "platform::stacks::tests::the_kernels_limit_is_named",
        ])
        .arg("--nocapture")
        .env(CHILD, "1")
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{text}\n{output:?}");
    let limit = super::max_map_count().unwrap();
    let count: usize = text
        .split_once("count ")
        .and_then(|(_, rest)| rest.split_once(':'))
        .unwrap()
        .0
        .parse()
        .unwrap();
    assert!(count < limit && count > limit / 4, "{text}");
    assert!(
        text.contains(&format!("{count} stacks take two each")),
        "{text}"
    );
    assert!(
        text.contains(&format!("vm.max_map_count is {limit}")),
        "{text}"
    );
    assert!(text.contains("sysctl -w vm.max_map_count="), "{text}");
}

#[test]
fn other_refusals_tell_their_reason() {
    let error = StackError::Guard {
        stacks: 3,
        limit: Some(65530),
        source: io::Error::from_raw_os_error(libc::EACCES),
    };
    let text = error.to_string();
    assert!(
        text.contains("(3 exist)") && !text.contains("max_map_count"),
        "{text}"
    );
    let error = StackError::Map {
        stacks: 7,
        bytes: 64 << 10,
        source: io::ErrorKind::OutOfMemory.into(),
    };
    let text = error.to_string();
    assert!(text.contains("64 KiB (7 exist)"), "{text}");
}
