//! Choices: the first of several events.

use super::{Choice, Event, Inside, Sealed, Subject, Turn, awaitable};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::Context;

/// The name of a choice in reports.
const SEVERAL: &&str = &"one of several events";

/// The event that [`Event::or`] returns.
#[derive(Debug)]
#[must_use = "an event does nothing before it is synchronised"]
pub struct Or<A, B> {
    /// The event on the left side. Both sides are `Some` until the choice takes one of them.
    left: Option<A>,
    right: Option<B>,
    /// The weight of the left side, and the sum of both sides' weights. The weights are set after guards have run.
    weights: (u32, u32),
}

impl<A: Event, B: Event> Or<A, B> {
    pub(super) fn new(left: A, right: B) -> Self {
        Or {
            left: Some(left),
            right: Some(right),
            weights: (0, 0),
        }
    }

    fn sides(self: Pin<&mut Self>) -> (Pin<&mut Option<A>>, Pin<&mut Option<B>>) {
        // SAFETY: both sides are fields of the pinned `self`, and do not move before they are dropped in place.
        unsafe {
            let this = self.get_unchecked_mut();
            (
                Pin::new_unchecked(&mut this.left),
                Pin::new_unchecked(&mut this.right),
            )
        }
    }

    fn both(self: Pin<&mut Self>) -> (Pin<&mut A>, Pin<&mut B>) {
        let (left, right) = self.sides();
        match (left.as_pin_mut(), right.as_pin_mut()) {
            (Some(left), Some(right)) => (left, right),
            _ => unreachable!("nothing has been chosen"),
        }
    }
}

/// Drops an event that was not chosen. A panic of the drop is caught, because it would lose the result of the chosen event. The
/// panic hook has reported the panic.
fn drop_loser<E>(mut event: Pin<&mut Option<E>>) {
    if let Err(payload) = catch_unwind(AssertUnwindSafe(|| event.set(None))) {
        // This function forgets the payload, because the drop of the payload may panic, too.
        std::mem::forget(payload);
    }
}

/// Drops an event like [`drop_loser`], but the event was never pinned.
#[inline]
fn drop_plain<E>(event: &mut Option<E>) {
    if let Err(payload) = catch_unwind(AssertUnwindSafe(|| *event = None)) {
        std::mem::forget(payload);
    }
}

impl<A, B> Sealed for Or<A, B> {}

impl<A: Event, B: Event<Output = A::Output>> Event for Or<A, B> {
    type Output = A::Output;

    #[inline]
    fn plain(&self) -> u32 {
        let (Some(left), Some(right)) = (&self.left, &self.right) else {
            return 0;
        };
        match (left.plain(), right.plain()) {
            (0, _) | (_, 0) => 0,
            (left, right) => left.saturating_add(right),
        }
    }

    #[inline]
    fn now(&mut self, turn: Turn) -> Option<A::Output> {
        let (left, right) = (self.left.as_mut()?, self.right.as_mut()?);
        let weight = left.plain();
        let right_first = turn.below(weight.saturating_add(right.plain())) >= weight;
        let turn = turn.inner();
        let (output, is_left) = if right_first {
            match right.now(turn) {
                Some(output) => (output, false),
                None => (left.now(turn)?, true),
            }
        } else {
            match left.now(turn) {
                Some(output) => (output, true),
                None => (right.now(turn)?, false),
            }
        };
        if is_left {
            drop_plain(&mut self.right);
        } else {
            drop_plain(&mut self.left);
        }
        Some(output)
    }

    fn weight(&self) -> u32 {
        self.weights.1
    }

    fn force(mut self: Pin<&mut Self>, inside: Inside) {
        let (mut left, mut right) = self.as_mut().both();
        left.as_mut().force(inside);
        right.as_mut().force(inside);
        let (left, right) = (left.weight(), right.weight());
        // SAFETY: the weights are not structurally pinned, and no other field is moved.
        unsafe { self.get_unchecked_mut() }.weights = (left, left.saturating_add(right));
    }

    fn is_foreign(&self) -> bool {
        self.left.as_ref().is_some_and(A::is_foreign)
            || self.right.as_ref().is_some_and(B::is_foreign)
    }

    #[inline]
    fn attempt(self: Pin<&mut Self>, turn: Turn, context: &mut Context<'_>) -> bool {
        let (weight, all) = self.weights;
        let right_first = turn.below(all) >= weight;
        let turn = turn.inner();
        let (left, right) = self.both();
        if right_first {
            return right.attempt(turn, context) || left.attempt(turn, context);
        }
        left.attempt(turn, context) || right.attempt(turn, context)
    }

    fn enlist(self: Pin<&mut Self>, choice: &Choice, context: &mut Context<'_>) -> bool {
        let (left, right) = self.both();
        left.enlist(choice, context) || right.enlist(choice, context)
    }

    fn look(self: Pin<&mut Self>, choice: &Choice, context: &mut Context<'_>) -> bool {
        let (left, right) = self.both();
        left.look(choice, context) || right.look(choice, context)
    }

    fn withdraw(self: Pin<&mut Self>, inside: Inside) {
        let (left, right) = self.both();
        left.withdraw(inside);
        right.withdraw(inside);
    }

    #[inline]
    fn settle(mut self: Pin<&mut Self>, inside: Inside) -> bool {
        let (left, right) = self.as_mut().both();
        let is_left = left.settle(inside);
        let is_right = right.settle(inside);
        let (left, right) = self.sides();
        if !is_left {
            drop_loser(left);
        }
        if !is_right {
            drop_loser(right);
        }
        is_left || is_right
    }

    fn output(self: Pin<&mut Self>, inside: Inside) -> A::Output {
        let (left, right) = self.sides();
        match (left.as_pin_mut(), right.as_pin_mut()) {
            (Some(left), _) => left.output(inside),
            (None, Some(right)) => right.output(inside),
            (None, None) => unreachable!("asked of the choice that has the branch that was chosen"),
        }
    }

    fn subject(&self) -> Option<Subject> {
        let left = self.left.as_ref().and_then(A::subject);
        several([left, self.right.as_ref().and_then(B::subject)])
    }
}

/// Returns the subject that reports show for a choice.
fn several(subjects: impl IntoIterator<Item = Option<Subject>>) -> Option<Subject> {
    let mut subjects = subjects.into_iter().flatten();
    let first = subjects.next()?;
    let construct = match subjects.next() {
        Some(_) => SEVERAL,
        None => first.construct,
    };
    Some(Subject { construct, ..first })
}

/// The event that [`choose`] returns.
#[derive(Debug)]
#[must_use = "an event does nothing before it is synchronised"]
pub struct Choose<E> {
    /// The events. The events never move after `self` is pinned, because the slice is on the heap and is not replaced. All events
    /// are `Some` until the choice takes one of them.
    events: Box<[Option<E>]>,
    /// The sum of the events' weights. The sum is set after guards have run.
    weight: u32,
}

/// Combines several events of one type: the first event that happens wins. If several events can happen, the choice begins its
/// search at a random branch, and takes the first branch that can happen. So among n branches, the choice takes each branch that
/// can happen with a probability of at least 1/n. A choice among no events is [`never`](super::never()).
///
/// To combine events of different types, use [`Event::or`] or [`choose!`](crate::choose). Alternatively, [box](Event::boxed) the
/// events to give them one type.
///
/// ```
/// use heist::sync::Rendezvous;
/// use heist::sync::event::{Event, choose};
/// let lines: Vec<_> = (0..3).map(|_| Rendezvous::new()).collect();
/// let second = lines[1].clone();
/// let caller = std::thread::spawn(move || second.send("hello"));
/// let calls = lines.iter().zip(0..).map(|(line, i)| line.recv_event().wrap(move |said| (i, said)));
/// assert_eq!(choose(calls).sync(), (1, "hello"));
/// caller.join().unwrap();
/// ```
///
/// # Complexity
/// The choice takes one allocation. In all other respects, the choice costs as much as [`Event::sync`] says.
pub fn choose<I: IntoIterator<Item: Event>>(events: I) -> Choose<I::Item> {
    Choose {
        events: events.into_iter().map(Some).collect(),
        weight: 0,
    }
}

impl<E: Event> Choose<E> {
    fn slots(self: Pin<&mut Self>) -> impl Iterator<Item = Pin<&mut Option<E>>> {
        // SAFETY: this function moves no element out of the slice, and the slice stays in place on the heap.
        let this = unsafe { self.get_unchecked_mut() };
        // SAFETY: the elements belong to the pinned `self`, and do not move before they are dropped in place.
        let pin = |event| unsafe { Pin::new_unchecked(event) };
        this.events.iter_mut().map(pin)
    }

    /// Returns the events that still exist: all of them, or only the chosen event.
    fn events(self: Pin<&mut Self>) -> impl Iterator<Item = Pin<&mut E>> {
        self.slots().filter_map(Option::as_pin_mut)
    }

    fn event(self: Pin<&mut Self>, index: usize) -> Pin<&mut E> {
        let event = self.slots().nth(index).and_then(Option::as_pin_mut);
        event.unwrap_or_else(|| unreachable!("nothing has been chosen"))
    }
}

impl<E> Sealed for Choose<E> {}

impl<E: Event> Event for Choose<E> {
    type Output = E::Output;

    fn weight(&self) -> u32 {
        self.weight
    }

    fn force(mut self: Pin<&mut Self>, inside: Inside) {
        let mut weight = 0_u32;
        for mut event in self.as_mut().events() {
            event.as_mut().force(inside);
            weight = weight.saturating_add(event.weight());
        }
        // SAFETY: the weight is not structurally pinned, and no other field is moved.
        unsafe { self.get_unchecked_mut() }.weight = weight;
    }

    fn is_foreign(&self) -> bool {
        self.events.iter().flatten().any(E::is_foreign)
    }

    fn attempt(mut self: Pin<&mut Self>, turn: Turn, context: &mut Context<'_>) -> bool {
        let mut place = turn.below(self.weight);
        let weights = self.events.iter().flatten().map(E::weight);
        let passed = weights.take_while(|&weight| match place.checked_sub(weight) {
            Some(rest) => {
                place = rest;
                true
            }
            None => false,
        });
        let (first, count) = (passed.count(), self.events.len());
        let turn = turn.inner();
        (first..count)
            .chain(0..first.min(count))
            .any(|index| self.as_mut().event(index).attempt(turn, context))
    }

    fn enlist(self: Pin<&mut Self>, choice: &Choice, context: &mut Context<'_>) -> bool {
        self.events().any(|event| event.enlist(choice, context))
    }

    fn look(self: Pin<&mut Self>, choice: &Choice, context: &mut Context<'_>) -> bool {
        self.events().any(|event| event.look(choice, context))
    }

    fn withdraw(self: Pin<&mut Self>, inside: Inside) {
        self.events().for_each(|event| event.withdraw(inside));
    }

    fn settle(mut self: Pin<&mut Self>, inside: Inside) -> bool {
        let mut found = false;
        for mut slot in self.as_mut().slots() {
            let event = slot.as_mut().as_pin_mut();
            if event.is_some_and(|event| event.settle(inside)) {
                found = true;
            } else {
                drop_loser(slot);
            }
        }
        found
    }

    fn output(self: Pin<&mut Self>, inside: Inside) -> E::Output {
        let mut chosen = self.events();
        let chosen = chosen.next();
        let chosen = chosen.unwrap_or_else(|| {
            unreachable!("asked of the choice that has the branch that was chosen")
        });
        chosen.output(inside)
    }

    fn subject(&self) -> Option<Subject> {
        several(self.events.iter().flatten().map(E::subject))
    }
}

awaitable!([A, B] Or<A, B>);
awaitable!([E] Choose<E>);

/// Combines several events with one type of result by [`Event::or`]: the first event that happens wins.
///
/// ```
/// use heist::sync::event::{Event, after, always};
/// use heist::sync::channel;
/// use std::time::Duration;
/// let (send, recv) = channel(1);
/// send.send(1).unwrap();
/// let got = heist::choose!(
///     recv.recv_event().wrap(Result::ok),
///     after(Duration::from_secs(60)).wrap(|()| None),
/// );
/// assert_eq!(got.sync(), Some(1));
/// ```
#[macro_export]
macro_rules! choose {
    ($first:expr $(, $other:expr)* $(,)?) => {
        $first $(.or($other))*
    };
}
