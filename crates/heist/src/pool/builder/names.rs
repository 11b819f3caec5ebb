//! The names of a pool's threads.

use super::Builder;

impl Builder {
    /// Names the threads `name-0`, `name-1`, ... (Linux shows the first 15 bytes.)
    pub fn name(mut self, name: &str) -> Self {
        name.clone_into(&mut self.settings.name);
        self
    }

    /// Sets a function that names each thread, from the thread's number. Workers are numbered from 0, and spare threads
    /// follow. The pool calls the function before it starts a thread, on any thread. So the function must not wait
    /// through Heist.
    ///
    /// If the function panics, or returns a name with a NUL in it, the thread has the name that [`name`](Self::name)
    /// gives it.
    ///
    /// ```
    /// let pool = heist::Pool::builder().threads(2).thread_name(|index| format!("render {index}")).build()?;
    /// let names = pool.broadcast(|_| std::thread::current().name().map(str::to_owned));
    /// assert_eq!(names, [Some("render 0".to_owned()), Some("render 1".to_owned())]);
    /// # Ok::<(), heist::BuildError>(())
    /// ```
    pub fn thread_name(mut self, name: impl Fn(usize) -> String + Send + Sync + 'static) -> Self {
        self.settings.thread_name = Some(Box::new(name));
        self
    }
}
