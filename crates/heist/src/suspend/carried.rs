//! Polls a task inside a span, without other changes to the task.

use super::task::{Delayed, Labelled};
use crate::fiber::FiberLabel;
use crate::spans::Carried;
use crate::waiting::Site;
use std::pin::Pin;
use std::task::Context;

impl<F: Delayed> Delayed for Carried<F> {
    fn count(&self) -> u32 {
        self.future().count()
    }

    fn begin(self: Pin<&mut Self>, context: &mut Context<'_>) -> u32 {
        self.parts().1.begin(context)
    }

    fn lacks(&self) -> Option<Site> {
        self.future().lacks()
    }

    fn help(&self) {
        self.future().help();
    }
}

impl<F: Labelled> Labelled for Carried<F> {
    fn label(&self) -> &FiberLabel {
        self.future().label()
    }
}
