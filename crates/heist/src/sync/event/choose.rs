//! Choices.

use super::{Choice, Event, Sealed, Subject, Turn, awaitable};
use std::pin::Pin;
use std::task::Context;

/// The name of a choice in reports.
const SEVERAL: &&str = &"one of several events";

/// The event of [`Event::or`].
#[derive(Debug)]
#[must_use = "an event does nothing before it is synchronised"]
pub struct Or<A, B> {
    left: A,
    right: B,
    /// Whether the left one was chosen.
    is_left: bool,
}

impl<A, B> Or<A, B> {
    pub(super) fn new(left: A, right: B) -> Self {
        Or {
            left,
            right,
            is_left: false,
        }
    }

    fn sides(self: Pin<&mut Self>) -> (Pin<&mut A>, Pin<&mut B>, &mut bool) {
        // SAFETY: both are pinned with the whole, and moved nowhere.
        unsafe {
            let this = self.get_unchecked_mut();
            (
                Pin::new_unchecked(&mut this.left),
                Pin::new_unchecked(&mut this.right),
                &mut this.is_left,
            )
        }
    }
}

impl<A, B> Sealed for Or<A, B> {}

impl<A: Event, B: Event<Output = A::Output>> Event for Or<A, B> {
    type Output = A::Output;

    fn weight(&self) -> u32 {
        self.left.weight().saturating_add(self.right.weight())
    }

    fn force(self: Pin<&mut Self>) {
        let (left, right, _) = self.sides();
        left.force();
        right.force();
    }

    fn is_foreign(&self) -> bool {
        self.left.is_foreign() || self.right.is_foreign()
    }

    #[inline]
    fn attempt(self: Pin<&mut Self>, turn: Turn, context: &mut Context<'_>) -> bool {
        let right_first = turn.below(self.weight()) >= self.left.weight();
        let turn = turn.inner();
        let (left, right, _) = self.sides();
        if right_first {
            return right.attempt(turn, context) || left.attempt(turn, context);
        }
        left.attempt(turn, context) || right.attempt(turn, context)
    }

    fn enlist(self: Pin<&mut Self>, choice: &Choice, context: &mut Context<'_>) -> bool {
        let (left, right, _) = self.sides();
        left.enlist(choice, context) || right.enlist(choice, context)
    }

    fn look(self: Pin<&mut Self>, choice: &Choice, context: &mut Context<'_>) -> bool {
        let (left, right, _) = self.sides();
        left.look(choice, context) || right.look(choice, context)
    }

    fn withdraw(self: Pin<&mut Self>) {
        let (left, right, _) = self.sides();
        left.withdraw();
        right.withdraw();
    }

    #[inline]
    fn settle(self: Pin<&mut Self>) -> bool {
        let (left, right, is_left) = self.sides();
        *is_left = left.settle();
        right.settle() || *is_left
    }

    fn output(self: Pin<&mut Self>) -> A::Output {
        let (left, right, is_left) = self.sides();
        if *is_left {
            left.output()
        } else {
            right.output()
        }
    }

    fn subject(&self) -> Option<Subject> {
        several([self.left.subject(), self.right.subject()])
    }
}

/// The subject of a choice.
fn several(subjects: impl IntoIterator<Item = Option<Subject>>) -> Option<Subject> {
    let mut subjects = subjects.into_iter().flatten();
    let first = subjects.next()?;
    let construct = match subjects.next() {
        Some(_) => SEVERAL,
        None => first.construct,
    };
    Some(Subject { construct, ..first })
}

/// The event of [`choose`].
#[derive(Debug)]
#[must_use = "an event does nothing before it is synchronised"]
pub struct Choose<E> {
    /// Never moved once the whole is pinned: the slice is on the heap, and is not exchanged.
    events: Box<[E]>,
    /// Index of the event that was chosen.
    chosen: usize,
}

/// One of several events of one type: the first that happens. If several can, the search begins at a random one. Among none, it is
/// [`never`](super::never()).
///
/// Events of different types are combined by [`Event::or`] or [`choose!`](crate::choose), or have one type when they are
/// [boxed](Event::boxed).
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
/// One allocation. The rest as [`Event::sync`].
pub fn choose<I: IntoIterator<Item: Event>>(events: I) -> Choose<I::Item> {
    Choose {
        events: events.into_iter().collect(),
        chosen: usize::MAX,
    }
}

impl<E> Choose<E> {
    fn events(self: Pin<&mut Self>) -> impl DoubleEndedIterator<Item = Pin<&mut E>> {
        // SAFETY: nothing is moved out of the slice, which stays where it is on the heap.
        let this = unsafe { self.get_unchecked_mut() };
        // SAFETY: the elements are pinned with the whole.
        let pin = |event| unsafe { Pin::new_unchecked(event) };
        this.events.iter_mut().map(pin)
    }

    fn event(self: Pin<&mut Self>, index: usize) -> Pin<&mut E> {
        // SAFETY: the elements are pinned with the whole, and are not moved.
        unsafe { self.map_unchecked_mut(|this| &mut this.events[index]) }
    }
}

impl<E> Sealed for Choose<E> {}

impl<E: Event> Event for Choose<E> {
    type Output = E::Output;

    fn weight(&self) -> u32 {
        let weights = self.events.iter().map(E::weight);
        weights.fold(0, u32::saturating_add)
    }

    fn force(self: Pin<&mut Self>) {
        self.events().for_each(E::force);
    }

    fn is_foreign(&self) -> bool {
        self.events.iter().any(E::is_foreign)
    }

    fn attempt(mut self: Pin<&mut Self>, turn: Turn, context: &mut Context<'_>) -> bool {
        let count = self.events.len();
        let first = turn.below(u32::try_from(count).unwrap_or(u32::MAX)) as usize;
        let turn = turn.inner();
        (first..count)
            .chain(0..first)
            .any(|index| self.as_mut().event(index).attempt(turn, context))
    }

    fn enlist(self: Pin<&mut Self>, choice: &Choice, context: &mut Context<'_>) -> bool {
        self.events().any(|event| event.enlist(choice, context))
    }

    fn look(self: Pin<&mut Self>, choice: &Choice, context: &mut Context<'_>) -> bool {
        self.events().any(|event| event.look(choice, context))
    }

    fn withdraw(self: Pin<&mut Self>) {
        self.events().for_each(E::withdraw);
    }

    fn settle(mut self: Pin<&mut Self>) -> bool {
        let mut chosen = usize::MAX;
        for (index, event) in self.as_mut().events().enumerate() {
            if event.settle() {
                chosen = index;
            }
        }
        // SAFETY: a number, which is not pinned.
        unsafe { self.get_unchecked_mut() }.chosen = chosen;
        chosen != usize::MAX
    }

    fn output(self: Pin<&mut Self>) -> E::Output {
        let chosen = self.chosen;
        self.event(chosen).output()
    }

    fn subject(&self) -> Option<Subject> {
        several(self.events.iter().map(E::subject))
    }
}

awaitable!([A, B] Or<A, B>);
awaitable!([E] Choose<E>);

/// One of several events with one type of result, the first that happens: [`Event::or`] between all of them. Each that can
/// happen at once is chosen with the same chance.
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
