//! Nodes: a tree of scopes that can be cancelled.

use super::current::{Flag, Payload, enclosing_node, note_use};
use super::orders;
use super::slots::Slots;
use crate::platform::shim::{Mutex, MutexGuard, Ordering};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, PoisonError, Weak};
use std::task::Waker;

/// The workers of a pool that runs code of a scope.
pub(crate) trait Workers: Send + Sync {
    /// Makes each worker take the slow path at its next fork, and at its next pop of a fork. The caller must make sure
    /// that the pool has not ended.
    fn interrupt(&self);
}

/// A scope: tokens refer to it, and code runs inside it.
pub(crate) struct Node {
    /// True after the cancellation. The canceller sets the flag once, under the lock of `state`.
    cancelled: Flag,
    state: Mutex<State>,
}

struct State {
    /// The nodes whose `children` include this node, each with this node's key in that list.
    parents: Vec<(Arc<Node>, usize)>,
    /// The nodes inside this node that have not ended.
    children: Slots<Arc<Node>>,
    /// Wakers of waiting code inside of the scope.
    waiters: Slots<Waker>,
    /// Wakers of threads that wait until this node is over.
    ends: Slots<Waker>,
    /// The pools that run members of this node, each with the number of members that it runs. A member is the body of the scope, or work
    /// that code in the scope has sent to a pool.
    pools: Vec<(Weak<dyn Workers>, usize)>,
    /// A panic that the unwinding of cancelled code has hidden.
    panic: Option<Payload>,
}

impl fmt::Debug for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Node")
            .field("cancelled", &self.is_cancelled())
            .finish_non_exhaustive()
    }
}

impl State {
    fn is_over(&self) -> bool {
        self.pools.is_empty() && self.children.is_empty()
    }
}

impl Node {
    /// Creates a node inside of `parents`, without members.
    pub(crate) fn new(parents: impl IntoIterator<Item = Arc<Node>>) -> Arc<Self> {
        note_use();
        let node = Arc::new(Node {
            cancelled: Flag::new(false),
            state: Mutex::new(State {
                parents: Vec::new(),
                children: Slots::new(),
                waiters: Slots::new(),
                ends: Slots::new(),
                pools: Vec::new(),
                panic: None,
            }),
        });
        for parent in parents {
            let mut outer = parent.lock();
            if orders::INHERITS && parent.is_cancelled() {
                // Relaxed: only the cancellers of the parents can access this node now, and they store the same value.
                node.cancelled.store(true, Ordering::Relaxed);
            }
            let key = outer.children.insert(Arc::clone(&node));
            drop(outer);
            node.lock().parents.push((parent, key));
        }
        node
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns true if this node, or a node around it, was cancelled.
    #[inline]
    pub(crate) fn is_cancelled(&self) -> bool {
        // Relaxed: a worker sees the flag after it has acquired the canceller's request or the lock. Other code sees the flag soon.
        self.cancelled.load(Ordering::Relaxed)
    }

    /// Returns the flag itself, for loops that check it between chunks.
    pub(crate) fn flag(&self) -> &Flag {
        &self.cancelled
    }

    /// Cancels this node, and all nodes inside of it. Returns true if no earlier call had cancelled this node.
    pub(crate) fn cancel(self: &Arc<Self>) -> bool {
        let mut nodes = vec![Arc::clone(self)];
        let mut wakers = Vec::new();
        let mut pools: Vec<Weak<dyn Workers>> = Vec::new();
        if orders::TELLS_FIRST {
            let early = self.lock().pools.clone();
            Node::tell(&nodes, early.into_iter().map(|(pool, _)| pool).collect());
        }
        let mut next = 0;
        // C1: sets all flags, from the outermost node to the innermost.
        while next < nodes.len() {
            let node = Arc::clone(&nodes[next]);
            next += 1;
            let mut state = node.lock();
            for (pool, _) in &state.pools {
                if !pools.iter().any(|other| other.ptr_eq(pool)) {
                    pools.push(Weak::clone(pool));
                }
            }
            // If this node was cancelled before, the earlier call has also cancelled the nodes
            // inside.
            if node.cancelled.swap(true, Ordering::Relaxed) {
                if next == 1 {
                    return false;
                }
                continue;
            }
            wakers.extend(state.waiters.drain());
            nodes.extend(state.children.iter().map(Arc::clone));
        }
        // C2: sends a request to each worker that may be inside of one of the nodes.
        if !orders::TELLS_FIRST {
            Node::tell(&nodes, pools);
        }
        // C3: calls the waiters.
        wakers.into_iter().for_each(call);
        true
    }

    /// Interrupts the workers of the given pools (C2). The canceller has found the pools in the given nodes (C1). If no node lists a pool
    /// any more, all members on that pool have left. A member that entered after C1 has seen the flag, and needs no interruption.
    fn tell(nodes: &[Arc<Node>], mut pools: Vec<Weak<dyn Workers>>) {
        for node in nodes {
            if pools.is_empty() {
                break;
            }
            // The lock is held during the calls: a member that ends meanwhile waits for the lock, so the
            // member's pool has not ended.
            let state = node.lock();
            let mut late = Vec::new();
            for (pool, _) in &state.pools {
                let Some(at) = pools.iter().position(|other| other.ptr_eq(pool)) else {
                    continue;
                };
                pools.swap_remove(at);
                match pool.upgrade() {
                    Some(workers) if orders::TELLS_LOCKED => workers.interrupt(),
                    workers => late.extend(workers),
                }
            }
            drop(state);
            late.iter().for_each(|workers| workers.interrupt());
        }
    }

    /// Makes the node call `waker` when it is cancelled. If the node is cancelled already, returns `None`.
    pub(super) fn watch(&self, waker: Waker) -> Option<usize> {
        let early = !orders::WATCHES_LOCKED && self.is_cancelled();
        let mut state = self.lock();
        // If the canceller has already taken the list, a waker that is listed now would stay in the list. The waiter does not sleep,
        // because it sees the flag in W2.
        if early || orders::WATCHES_LOCKED && self.is_cancelled() {
            drop(state);
            // The waker is dropped without the lock, because its drop runs foreign code.
            drop(waker);
            return None;
        }
        Some(state.waiters.insert(waker))
    }

    pub(super) fn unwatch(&self, key: usize) {
        let waker = self.lock().waiters.remove(key);
        // The waker is dropped without the lock, because its drop runs foreign code.
        drop(waker);
    }

    /// Keeps a panic for the boundary of the scope. If an earlier panic is kept already, returns the new
    /// panic.
    pub(super) fn keep_panic(&self, payload: Payload) -> Option<Payload> {
        let mut state = self.lock();
        match state.panic {
            Some(_) if orders::KEEPS_FIRST => Some(payload),
            _ => {
                state.panic = Some(payload);
                None
            }
        }
    }

    /// Takes the panic that [`keep_panic`](Self::keep_panic) has kept.
    pub(crate) fn take_panic(&self) -> Option<Payload> {
        self.lock().panic.take()
    }

    /// Makes the node call `waker` when the node is over. Returns false if the node is over already.
    pub(crate) fn call_at_end(&self, waker: &Waker, key: &mut Option<usize>) -> bool {
        // No waker is cloned or dropped under the lock, because both run foreign code.
        let mut waker = Some(waker.clone());
        let early = (!orders::ENDS_LOCKED).then(|| self.lock().is_over());
        let mut state = self.lock();
        let old = key.take().and_then(|key| state.ends.remove(key));
        let over = early.unwrap_or_else(|| state.is_over());
        if !over {
            *key = waker.take().map(|waker| state.ends.insert(waker));
        }
        drop(state);
        drop((old, waker));
        !over
    }

    /// Returns true if the node has no members and no inner nodes.
    pub(crate) fn is_over(&self) -> bool {
        self.lock().is_over()
    }

    /// Removes the waker with key `key`, if the node has not called it yet.
    pub(crate) fn forget_end(&self, key: usize) {
        let waker = self.lock().ends.remove(key);
        drop(waker);
    }

    /// Returns true if this node is `outer`, or is inside it.
    pub(crate) fn is_inside(&self, outer: &Node) -> bool {
        if std::ptr::eq(self, outer) {
            return true;
        }
        let parents: Vec<_> = self
            .lock()
            .parents
            .iter()
            .map(|(node, _)| Arc::clone(node))
            .collect();
        parents.iter().any(|parent| parent.is_inside(outer))
    }

    fn enter(&self, pool: &Weak<dyn Workers>) {
        let mut state = self.lock();
        match state.pools.iter_mut().find(|(of, _)| of.ptr_eq(pool)) {
            Some((_, members)) => *members += 1,
            None => state.pools.push((Weak::clone(pool), 1)),
        }
    }

    fn leave(&self, pool: &Weak<dyn Workers>) {
        let mut state = self.lock();
        if let Some(at) = state.pools.iter().position(|(of, _)| of.ptr_eq(pool)) {
            state.pools[at].1 -= 1;
            if state.pools[at].1 == 0 {
                state.pools.swap_remove(at);
            }
        }
        self.end_if_over(state);
    }

    /// Wakes the threads that wait for the end of this node, and removes the node from the enclosing nodes. Does nothing if this node is
    /// not over.
    fn end_if_over(&self, mut state: MutexGuard<'_, State>) {
        if !state.is_over() {
            return;
        }
        let ends: Vec<Waker> = state.ends.drain().collect();
        let parents = std::mem::take(&mut state.parents);
        drop(state);
        ends.into_iter().for_each(call);
        for (parent, key) in parents {
            let mut outer = parent.lock();
            let node = outer.children.remove(key);
            parent.end_if_over(outer);
            drop(node);
        }
    }
}

/// Calls a waker. A waker is foreign code, and may panic. If the waker panics, the panic hook reports the panic, and
/// this function drops the panic, so that its caller still calls the other wakers.
fn call(waker: Waker) {
    if let Err(payload) = catch_unwind(AssertUnwindSafe(|| waker.wake())) {
        std::mem::forget(payload);
    }
}

/// A member of a scope: the scope's body, or work that code in the scope has sent to a pool.
#[derive(Debug)]
pub(crate) struct Member {
    node: Arc<Node>,
    pool: Weak<dyn Workers>,
}

impl fmt::Debug for dyn Workers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Workers")
    }
}

impl Member {
    /// Adds a member to the scope `node`. The member runs on workers of `pool`.
    pub(crate) fn new(node: Arc<Node>, pool: Weak<dyn Workers>) -> Self {
        node.enter(&pool);
        Member { node, pool }
    }

    /// Adds a member to the enclosing scope, if there is one.
    pub(crate) fn of_enclosing(pool: impl FnOnce() -> Weak<dyn Workers>) -> Option<Self> {
        enclosing_node().map(|node| Member::new(node, pool()))
    }

    pub(crate) fn node(&self) -> &Arc<Node> {
        &self.node
    }
}

impl Drop for Member {
    fn drop(&mut self) {
        self.node.leave(&self.pool);
    }
}
