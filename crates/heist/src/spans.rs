//! Spans of the crate `tracing`. Work that runs on another worker runs inside the span in which it was forked or spawned.
//!
//! Without the feature `tracing`, the wrappers are the unchanged closures and futures.

#[cfg(feature = "tracing")]
mod imp {
    use std::future::Future;
    use std::pin::Pin;
    use std::task::{Context, Poll};
    use tracing::Span;
    use tracing::level_filters::LevelFilter;

    /// Returns true if a subscriber has enabled any level. The call costs one relaxed load.
    #[inline(always)]
    pub(crate) fn are_watched() -> bool {
        LevelFilter::current() != LevelFilter::OFF
    }

    /// Returns the span in which the current code runs, if there is one. The function is not inlined, because the caller may be a fiber's
    /// code, and this function reads thread-local words.
    #[inline(never)]
    pub(crate) fn current() -> Option<Span> {
        let span = are_watched().then(Span::current)?;
        (!span.is_none()).then_some(span)
    }

    /// Runs `work` inside of `span`, and leaves the span even if `work` panics.
    pub(crate) fn inside<R>(span: Option<&Span>, work: impl FnOnce() -> R) -> R {
        match span {
            Some(span) => span.in_scope(work),
            None => work(),
        }
    }

    /// Wraps `work`, so that it runs inside of the span that is current at this call.
    pub(crate) fn carried<R>(work: impl FnOnce() -> R) -> impl FnOnce() -> R {
        let span = current();
        move || inside(span.as_ref(), work)
    }

    /// A future whose polls run inside of the span in which it was created.
    pub(crate) struct Carried<F> {
        span: Option<Span>,
        future: F,
    }

    /// Wraps `future`, so that its polls run inside of the span that is current at this call.
    pub(crate) fn carried_future<F>(future: F) -> Carried<F> {
        let span = current();
        Carried { span, future }
    }

    impl<F> Carried<F> {
        /// Returns the future that runs inside the span.
        pub(crate) fn future(&self) -> &F {
            &self.future
        }

        pub(crate) fn parts(self: Pin<&mut Self>) -> (Option<&Span>, Pin<&mut F>) {
            // SAFETY: the future is pinned with the whole value: this type gives access to the future only when
            // pinned, never moves it out, and has no `Drop`.
            unsafe {
                let this = self.get_unchecked_mut();
                (this.span.as_ref(), Pin::new_unchecked(&mut this.future))
            }
        }
    }

    impl<F: Future> Future for Carried<F> {
        type Output = F::Output;

        fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
            let (span, future) = self.parts();
            inside(span, || future.poll(context))
        }
    }
}

#[cfg(not(feature = "tracing"))]
mod imp {
    #[inline(always)]
    pub(crate) fn carried<F>(work: F) -> F {
        work
    }

    #[inline(always)]
    pub(crate) fn carried_future<F>(future: F) -> F {
        future
    }
}

pub(crate) use imp::*;
