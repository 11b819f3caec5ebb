//! A macro for the event types of constructs. Each of these types wraps an event that waits.

/// Makes `$name` an event. The first field of `$name` is the event that does the work. The macro's last parameter computes the output from
/// the output of the inner event. Without this parameter, the output of the inner event is the output of `$name`.
macro_rules! newtype {
    ([$($generics:tt)*] $name:ty, $output:ty) => {
        crate::sync::event::newtype!(
            [$($generics)*] $name, $output, |inner, inside| inner.output(inside),

            #[inline]
            fn plain(&self) -> u32 {
                self.0.plain()
            }

            #[inline]
            fn now(&mut self, turn: crate::sync::event::Turn) -> Option<$output> {
                self.0.now(turn)
            }
        );
    };
    ([$($generics:tt)*] $name:ty, $output:ty, |$inner:ident, $inside:ident| $result:expr $(, $($plain:tt)*)?) => {
        impl<$($generics)*> crate::sync::event::Sealed for $name {}

        impl<$($generics)*> crate::sync::event::Event for $name {
            type Output = $output;

            $($($plain)*)?

            fn attempt(
                self: std::pin::Pin<&mut Self>,
                turn: crate::sync::event::Turn,
                context: &mut std::task::Context<'_>,
            ) -> bool {
                self.inner().attempt(turn, context)
            }

            fn enlist(
                self: std::pin::Pin<&mut Self>,
                choice: &crate::sync::event::Choice,
                context: &mut std::task::Context<'_>,
            ) -> bool {
                self.inner().enlist(choice, context)
            }

            fn withdraw(self: std::pin::Pin<&mut Self>, inside: crate::sync::event::Inside) {
                self.inner().withdraw(inside);
            }

            fn settle(self: std::pin::Pin<&mut Self>, inside: crate::sync::event::Inside) -> bool {
                self.inner().settle(inside)
            }

            fn output(self: std::pin::Pin<&mut Self>, $inside: crate::sync::event::Inside) -> $output {
                let $inner = self.inner();
                $result
            }

            fn subject(&self) -> Option<crate::sync::event::Subject> {
                self.0.subject()
            }
        }

        crate::sync::event::awaitable!([$($generics)*] $name);
    };
}

/// Implements `IntoFuture` for an event type, so that `.await` synchronises the event.
macro_rules! awaitable {
    ([$($generics:tt)*] $name:ty $(, $($bounds:tt)*)?) => {
        impl<$($generics)*> IntoFuture for $name
        where
            $name: crate::sync::event::Event,
            $($($bounds)*)?
        {
            type Output = <$name as crate::sync::event::Event>::Output;
            type IntoFuture = crate::sync::event::Syncing<$name>;

            #[track_caller]
            fn into_future(self) -> Self::IntoFuture {
                crate::sync::event::Event::sync_async(self)
            }
        }
    };
}

pub(in crate::sync) use {awaitable, newtype};
