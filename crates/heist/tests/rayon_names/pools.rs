//! Calls the functions of `heist::rayon` for pools, and each method of rayon's types for pools that `heist::rayon` has.

use super::rayon;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::thread;

fn pool(threads: usize) -> rayon::ThreadPool {
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .unwrap()
}

/// Returns the values that the closure sends.
fn sent<T>(send: impl FnOnce(std::sync::mpsc::Sender<T>)) -> Vec<T> {
    let (sender, receiver) = channel();
    send(sender);
    receiver.iter().collect()
}

#[test]
fn methods_of_pools() {
    let own = pool(2);
    let mut seen = None;
    calls! { ThreadPool:
        install: own.install(rayon::current_num_threads) => 2;
        broadcast: own.broadcast(|context| context.index()) => [0, 1];
        current_num_threads: own.current_num_threads() => 2;
        current_thread_index: own.current_thread_index() => None;
        join: own.join(|| 1, || 2) => (1, 2);
        scope: { own.scope(|s| s.spawn(|_| seen = Some(1))); seen } => Some(1);
        scope_fifo: { own.scope_fifo(|s| s.spawn(|_| seen = Some(2))); seen } => Some(2);
        in_place_scope: { own.in_place_scope(|s| s.spawn(|_| seen = Some(3))); seen } => Some(3);
        in_place_scope_fifo: { own.in_place_scope_fifo(|s| s.spawn(|_| seen = Some(4))); seen } => Some(4);
        spawn: sent(|sender| own.spawn(move || sender.send(1).unwrap())) => [1];
        spawn_fifo: sent(|sender| own.spawn_fifo(move || sender.send(1).unwrap())) => [1];
    }
    calls! { Scope: spawn: { rayon::scope(|s| s.spawn(|_| seen = Some(5))); seen } => Some(5); }
    let other = pool(1);
    assert_eq!(own.install(|| other.current_thread_index()), None);
    assert_eq!(other.install(|| other.current_thread_index()), Some(0));
}

#[test]
fn methods_of_builders() {
    let new = || rayon::ThreadPoolBuilder::new().num_threads(1);
    let name = || thread::current().name().map(str::to_owned);
    let (started, ended) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let count = |of: &Arc<AtomicUsize>| {
        let of = Arc::clone(of);
        move |_| {
            of.fetch_add(1, Relaxed);
        }
    };
    let spawned = |start: rayon::ThreadBuilder| {
        thread::Builder::new()
            .name(format!("mine {}", start.index()))
            .stack_size(start.stack_size())
            .spawn(|| start.run())?;
        Ok(())
    };
    calls! { ThreadPoolBuilder:
        new: rayon::ThreadPoolBuilder::new().build().is_ok() => true;
        build: new().build().unwrap().install(|| 7) => 7;
        num_threads: new().num_threads(3).build().unwrap().current_num_threads() => 3;
        thread_name: new().thread_name(|i| format!("t{i}")).build().unwrap().install(name) => Some("t0".into());
        spawn_handler: new().spawn_handler(spawned).build().unwrap().install(name) => Some("mine 0".into());
        stack_size: new().stack_size(1 << 20).build().unwrap().install(|| 7) => 7;
        start_handler: { new().start_handler(count(&started)).build().unwrap(); started.load(Relaxed) } => 1;
        exit_handler: { new().exit_handler(count(&ended)).build().unwrap(); ended.load(Relaxed) } => 1;
        panic_handler: sent(|sender| {
            let pool = new().panic_handler(move |panic| sender.send(panic).unwrap()).build().unwrap();
            pool.spawn(|| resume_unwind(Box::new(7)));
        })[0].downcast_ref() => Some(&7);
        build_global: { rayon::yield_now(); rayon::spawn(|| ()); new().build_global().is_err() } => true;
    }
    calls! { ThreadBuilder:
        index: sent(|sender| drop(new().spawn_handler(move |start| { let _ = sender.send(start.index()); spawned(start) }).build()))[0] => 0;
        name: sent(|sender| drop(new().spawn_handler(move |start| { let _ = sender.send(start.name().len()); spawned(start) }).build()))[0] => "heist-0".len();
        stack_size: sent(|sender| drop(new().spawn_handler(move |start| { let _ = sender.send(start.stack_size()); spawned(start) }).build()))[0] => 8 << 20;
        run: new().spawn_handler(|start| { thread::spawn(|| start.run()); Ok(()) }).build().is_ok() => true;
    }
}

/// The thread gets its default name if the naming function panics or returns a name with a zero byte.
#[test]
fn a_bad_name_is_replaced() {
    let name_by = |function: fn(usize) -> String| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(1)
            .thread_name(function)
            .build()
            .unwrap();
        pool.install(|| thread::current().name().map(str::to_owned))
    };
    assert_eq!(name_by(|_| "\0".into()).as_deref(), Some("heist-0"));
    assert_eq!(
        name_by(|_| resume_unwind(Box::new("no name"))).as_deref(),
        Some("heist-0")
    );
}

#[test]
fn functions() {
    let own = pool(2);
    own.install(|| {
        calls! { BroadcastContext:
            index: rayon::broadcast(|context: rayon::BroadcastContext<'_>| context.index()) => [0, 1];
            num_threads: rayon::broadcast(|context| context.num_threads()) => [2, 2];
        }
        rayon::yield_now();
        let values = sent(|sender| {
            rayon::spawn(move || sender.send(rayon::current_num_threads()).unwrap());
        });
        assert_eq!(values, [2]);
    });
    let order = Mutex::new(Vec::new());
    pool(1).install(|| {
        rayon::scope_fifo(|s| {
            for i in 0..3 {
                let order = &order;
                s.spawn(move |_| order.lock().unwrap().push(i));
            }
        });
    });
    assert_eq!(order.into_inner().unwrap(), [0, 1, 2]);
    let order = sent(|sender| {
        pool(1).install(|| {
            for i in 0..3 {
                let sender = sender.clone();
                rayon::spawn_fifo(move || sender.send(i).unwrap());
            }
        });
    });
    assert_eq!(order, [0, 1, 2]);
    assert!(rayon::max_num_threads() >= 1024);
}

/// A side of `join_context` has migrated exactly if another thread runs it.
#[test]
fn contexts_tell_where_a_side_runs() {
    let outside = thread::current().id();
    let sides = rayon::join_context(
        |context| (context.migrated(), thread::current().id() != outside),
        |context| (context.migrated(), thread::current().id() != outside),
    );
    assert_eq!(sides, ((true, true), (true, true)));
    let (one, two) = (pool(1), pool(2));
    calls! { FnContext:
        migrated: one.install(|| rayon::join_context(|a| a.migrated(), |b| b.migrated())) => (false, false);
    }
    // The left side waits until a thief has begun the right side.
    let (sender, receiver) = channel();
    let migrated = two.install(|| {
        rayon::join_context(
            move |context| {
                receiver.recv().unwrap();
                context.migrated()
            },
            |context| {
                sender.send(()).unwrap();
                context.migrated()
            },
        )
    });
    assert_eq!(migrated, (false, true));
}
