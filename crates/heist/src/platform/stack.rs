//! How deep the current thread can go.

/// The size of the current thread's stack in bytes, where the platform tells.
pub(crate) fn current_stack_size() -> Option<usize> {
    #[cfg(all(target_os = "linux", not(miri)))]
    {
        let mut attributes = std::mem::MaybeUninit::<libc::pthread_attr_t>::uninit();
        // SAFETY: `pthread_getattr_np` initialises the attributes if it returns 0, and they are
        // destroyed once; the out-pointers are to locals.
        unsafe {
            if libc::pthread_getattr_np(libc::pthread_self(), attributes.as_mut_ptr()) != 0 {
                return None;
            }
            let (mut base, mut size) = (std::ptr::null_mut(), 0);
            let got =
                libc::pthread_attr_getstack(attributes.as_ptr(), &raw mut base, &raw mut size);
            libc::pthread_attr_destroy(attributes.as_mut_ptr());
            (got == 0).then_some(size)
        }
    }
    #[cfg(not(all(target_os = "linux", not(miri))))]
    None
}
