//! The extent of the current thread's stack.

use std::ops::Range;

/// Returns the addresses of the current thread's stack, if the platform provides them.
pub(crate) fn current_stack() -> Option<Range<usize>> {
    imp::stack()
}

#[cfg(all(target_os = "linux", not(miri)))]
mod imp {
    use std::ops::Range;

    pub(super) fn stack() -> Option<Range<usize>> {
        let mut attributes = std::mem::MaybeUninit::<libc::pthread_attr_t>::uninit();
        // SAFETY: `pthread_getattr_np` initialises the attributes if it returns 0, and this code destroys the attributes once. The
        // out-pointers point to locals.
        unsafe {
            if libc::pthread_getattr_np(libc::pthread_self(), attributes.as_mut_ptr()) != 0 {
                return None;
            }
            let (mut base, mut size) = (std::ptr::null_mut(), 0);
            let got =
                libc::pthread_attr_getstack(attributes.as_ptr(), &raw mut base, &raw mut size);
            libc::pthread_attr_destroy(attributes.as_mut_ptr());
            (got == 0).then(|| base.addr()..base.addr() + size)
        }
    }
}

#[cfg(all(target_vendor = "apple", not(miri)))]
mod imp {
    use std::ops::Range;

    pub(super) fn stack() -> Option<Range<usize>> {
        // SAFETY: the calls take no pointers but the thread's own handle.
        let (end, size) = unsafe {
            let thread = libc::pthread_self();
            (
                libc::pthread_get_stackaddr_np(thread).addr(),
                libc::pthread_get_stacksize_np(thread),
            )
        };
        Some(end - size..end)
    }
}

#[cfg(all(windows, not(miri)))]
mod imp {
    use std::ops::Range;

    #[link(name = "kernel32")]
    unsafe extern "system" {
        fn GetCurrentThreadStackLimits(low: *mut usize, high: *mut usize);
    }

    pub(super) fn stack() -> Option<Range<usize>> {
        let (mut low, mut high) = (0, 0);
        // SAFETY: the call writes two addresses to the locals (Windows 8 and later).
        unsafe { GetCurrentThreadStackLimits(&raw mut low, &raw mut high) };
        Some(low..high)
    }
}

#[cfg(not(all(any(target_os = "linux", target_vendor = "apple", windows), not(miri))))]
mod imp {
    use std::ops::Range;

    pub(super) fn stack() -> Option<Range<usize>> {
        None
    }
}
