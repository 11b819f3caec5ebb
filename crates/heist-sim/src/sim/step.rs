//! A worker at the end of a strand.

use super::World;
use super::stack::{Entry, Open, Scope, UNSTOLEN};
use crate::dag::Op;
use crate::{Policy, Protocol, Time};

/// A factor for the adaptive policy. If no worker searches, and the number of entries of a deque is at least this factor times the number
/// of workers, the deque's owner runs a spawned task immediately.
const DEEP: usize = 4;

impl World<'_> {
    /// Handles the end of a strand of worker `slot`.
    pub(super) fn step(&mut self, slot: usize, mut now: Time) {
        let at = self.stack(slot).at;
        let op = self.dag.token(at).op;
        if self.machine.protocol == Protocol::StopVictim && matches!(op, Op::Next | Op::Done) {
            // The return of a call is a poll point. This poll comes before the pop, so the caller's
            // frame is still in the deque.
            now = self.poll(slot, now);
        }
        match op {
            Op::Fork => {
                let stack = self.stack_mut(slot);
                let index = stack.open.len() as u32;
                stack.open.push(Open::Left { at, join: UNSTOLEN });
                stack.deque.push_back(Entry::Own(index));
                let now = self.pushed(slot, now + self.price.fork);
                let now = self.poll(slot, now);
                self.goto(slot, at + 1, now);
            }
            Op::Next => self.left_done(slot, now, at),
            Op::Join => match self.stack_mut(slot).open.pop() {
                Some(Open::Right) => {
                    let now = self.poll(slot, now);
                    self.goto(slot, at + 1, now);
                }
                Some(Open::Stolen { join }) => {
                    let now = now + self.price.complete;
                    self.joins[join as usize].end = Some(at);
                    if self.joins[join as usize].waits {
                        self.ready(self.joins[join as usize].stack, now);
                    }
                    self.boundary(slot, now);
                }
                other => unreachable!("a join in {other:?}"),
            },
            Op::Open => {
                let stack = self.slots[slot].stack;
                let scope = self.new_scope(Scope {
                    stack,
                    pending: 0,
                    end: 0,
                    waits: false,
                });
                let stack = self.stack_mut(slot);
                let floor = stack.height();
                stack.open.push(Open::Scope { scope, floor });
                self.goto(slot, at + 1, now + self.price.scope);
            }
            Op::Spawn => self.spawn(slot, now, at),
            Op::Done => self.task_done(slot, now, at),
            Op::Close => match self.stack(slot).open.last() {
                Some(&Open::Scope { scope, .. }) => {
                    self.scopes[scope as usize].end = at;
                    self.scope_end(slot, now);
                }
                Some(&Open::Body { scope }) => {
                    self.stack_mut(slot).open.pop();
                    self.scopes[scope as usize].end = at;
                    self.tell(scope, now + self.price.complete);
                    self.boundary(slot, now + self.price.complete);
                }
                other => unreachable!("the end of a scope in {other:?}"),
            },
            Op::Long => unreachable!("a strand ends at the word after"),
        }
    }

    /// Handles the end of the left branch of a fork.
    fn left_done(&mut self, slot: usize, now: Time, at: u32) {
        let stack = self.stack_mut(slot);
        match stack.open.last_mut() {
            Some(open @ &mut Open::Left { join: UNSTOLEN, .. }) => {
                *open = Open::Right;
                stack.deque.pop_back();
                let now = self.popped(slot, now);
                let now = self.poll(slot, now);
                self.goto(slot, at + 1, now);
            }
            Some(&mut Open::Left { join, .. }) => {
                if self.joins[join as usize].end.is_some() {
                    self.retire(slot, now);
                } else {
                    self.joins[join as usize].waits = true;
                    self.block(slot, now);
                }
            }
            other => unreachable!("the end of a left branch in {other:?}"),
        }
    }

    /// Completes a join whose frame was stolen, and continues the program after the join.
    pub(super) fn retire(&mut self, slot: usize, now: Time) {
        let Some(Open::Left { join, .. }) = self.stack_mut(slot).open.pop() else {
            unreachable!("no fork to end")
        };
        let Some(end) = self.joins[join as usize].end else {
            unreachable!("a join that is not done")
        };
        self.free_joins.push(join);
        let now = self.poll(slot, now + self.price.retire);
        self.goto(slot, end + 1, now);
    }

    fn spawn(&mut self, slot: usize, now: Time, at: u32) {
        let scope = match self.stack(slot).open.last() {
            Some(&Open::Scope { scope, .. } | &Open::Body { scope }) => scope,
            other => unreachable!("a spawn in {other:?}"),
        };
        self.scopes[scope as usize].pending += 1;
        let after = self.dag.end_of_branch(at) + 1;
        let now = now + self.price.spawn;
        let help = match self.machine.policy {
            Policy::HelpFirst => true,
            Policy::WorkFirst => false,
            Policy::Adaptive => {
                self.places.searching.len() > 0
                    || self.stack(slot).deque.len() < DEEP * self.slots.len()
            }
            Policy::WorkSharing => {
                self.queue.push_back((at, scope));
                let now = self.use_queue(now);
                let now = self.news(slot, now, 1);
                let now = self.poll(slot, now);
                return self.goto(slot, after, now);
            }
        };
        let stack = self.stack_mut(slot);
        if help {
            stack.deque.push_back(Entry::Task { at, scope });
        } else {
            let index = stack.open.len() as u32;
            stack.deque.push_back(Entry::Own(index));
            stack.open.push(Open::Child {
                scope,
                at,
                gone: false,
            });
        }
        let now = self.pushed(slot, now);
        let now = self.poll(slot, now);
        self.goto(slot, if help { after } else { at + 1 }, now);
    }

    /// Handles the end of a task or of the program.
    fn task_done(&mut self, slot: usize, now: Time, at: u32) {
        match self.stack_mut(slot).open.pop() {
            Some(Open::Root) => self.end = Some(now),
            Some(Open::Task { scope, .. }) => {
                self.scopes[scope as usize].pending -= 1;
                self.scope_end(slot, now);
            }
            Some(Open::Far { scope }) => {
                // A worker counts its finished tasks, and reports them to the scope when its deque
                // is empty.
                let last = self.stack(slot).deque.is_empty();
                let now = if last { now + self.price.complete } else { now };
                self.tell(scope, now);
                self.boundary(slot, now);
            }
            Some(Open::Child {
                scope, gone: false, ..
            }) => {
                self.scopes[scope as usize].pending -= 1;
                self.stack_mut(slot).deque.pop_back();
                let now = self.popped(slot, now);
                let now = self.poll(slot, now);
                self.goto(slot, at + 1, now);
            }
            Some(Open::Child {
                scope, gone: true, ..
            }) => {
                self.tell(scope, now);
                match self.stack(slot).open.last() {
                    Some(Open::Scope { .. }) => self.scope_end(slot, now),
                    Some(Open::Body { .. }) => {
                        // The scope's pending parts include the rest of the body, which a thief took.
                        self.stack_mut(slot).open.pop();
                        self.tell(scope, now);
                        self.boundary(slot, now);
                    }
                    other => unreachable!("a child in {other:?}"),
                }
            }
            other => unreachable!("the end of a task in {other:?}"),
        }
    }

    /// Handles the end of a scope's body on the stack that began the scope. The stack runs those tasks of the scope that are in its deque,
    /// and then waits for the other tasks.
    pub(super) fn scope_end(&mut self, slot: usize, now: Time) {
        let stack = self.stack_mut(slot);
        let Some(&Open::Scope { scope, floor }) = stack.open.last() else {
            unreachable!("no scope to end")
        };
        if !stack.deque.is_empty() && stack.height() > floor {
            let Some(Entry::Task { at, .. }) = stack.deque.pop_back() else {
                unreachable!("a scope's end above anything but its tasks")
            };
            stack.open.push(Open::Task { scope });
            let now = self.popped(slot, now);
            let now = self.poll(slot, now);
            self.goto(slot, at + 1, now);
        } else if self.scopes[scope as usize].pending == 0 {
            self.stack_mut(slot).open.pop();
            let end = self.scopes[scope as usize].end;
            self.free_scopes.push(scope);
            self.goto(slot, end + 1, now);
        } else {
            self.scopes[scope as usize].waits = true;
            self.block(slot, now);
        }
    }

    /// Decrements the number of parts for which the scope waits. If the number becomes 0, marks the waiting stack as ready.
    fn tell(&mut self, scope: u32, now: Time) {
        let scope = &mut self.scopes[scope as usize];
        scope.pending -= 1;
        if scope.pending == 0 && scope.waits {
            scope.waits = false;
            let stack = scope.stack;
            self.ready(stack, now);
        }
    }
}
