//! Returns constants of the operating system by name, because their values differ from system to system.

use crate::state::worker::Worker;
use crate::value::object::Value;

macro_rules! constants {
    ($($name:ident)*) => {
        /// The names and values of constants whose values differ from system to system.
        const CONSTANTS: &[(&str, i64)] = &[$((stringify!($name), libc::$name as i64),)*];
    };
}

constants! {
    O_RDONLY O_WRONLY O_RDWR O_CREAT O_TRUNC O_EXCL O_NOCTTY O_APPEND O_NONBLOCK O_SYNC
    S_ISUID S_ISGID S_IRWXU S_IRUSR S_IWUSR S_IXUSR S_IRWXG S_IRGRP S_IWGRP S_IXGRP S_IRWXO S_IROTH S_IWOTH S_IXOTH
    S_IFMT S_IFDIR S_IFCHR S_IFBLK S_IFREG S_IFIFO S_IFLNK S_IFSOCK
    F_GETFD F_SETFD F_GETFL F_SETFL FD_CLOEXEC
    SIGABRT SIGALRM SIGBUS SIGFPE SIGHUP SIGILL SIGINT SIGKILL SIGPIPE SIGQUIT SIGSEGV SIGTERM SIGUSR1 SIGUSR2 SIGCHLD SIGCONT SIGSTOP
    SIGTSTP SIGTTIN SIGTTOU WNOHANG WUNTRACED
    _SC_ARG_MAX _SC_CHILD_MAX _SC_CLK_TCK _SC_NGROUPS_MAX _SC_OPEN_MAX _SC_STREAM_MAX _SC_TZNAME_MAX _SC_JOB_CONTROL _SC_SAVED_IDS
    _SC_VERSION _SC_PAGESIZE _SC_NPROCESSORS_CONF _SC_NPROCESSORS_ONLN _SC_PHYS_PAGES
    AF_UNSPEC AF_UNIX AF_INET AF_INET6 SOCK_STREAM SOCK_DGRAM SOCK_RAW SOCK_SEQPACKET SOMAXCONN
    SOL_SOCKET SO_BROADCAST SO_DEBUG SO_DONTROUTE SO_ERROR SO_KEEPALIVE SO_OOBINLINE SO_RCVBUF SO_REUSEADDR SO_SNDBUF SO_TYPE
    IPPROTO_TCP TCP_NODELAY MSG_PEEK MSG_OOB MSG_DONTROUTE SHUT_RD SHUT_WR SHUT_RDWR
    POLLIN POLLOUT POLLPRI POLLERR POLLHUP POLLNVAL
    _PC_LINK_MAX _PC_MAX_CANON _PC_MAX_INPUT _PC_NAME_MAX _PC_PATH_MAX _PC_PIPE_BUF _PC_CHOWN_RESTRICTED _PC_NO_TRUNC _PC_VDISABLE
}

/// `rt.Posix.constant`: returns the bitwise or of the named constants. In `names`, `|` separates the names. Returns a negative number if a
/// name is unknown.
///
/// # Safety
/// `names` must be a string.
pub unsafe extern "C" fn constant(_: *mut Worker, names: Value) -> i64 {
    // SAFETY: `names` is a string. Nothing allocates in the heap of the program, so the string does not move.
    let names = unsafe { names.bytes() };
    let mut numbers = names.split(|&byte| byte == b'|').map(|name| {
        let known = CONSTANTS
            .iter()
            .find(|constant| constant.0.as_bytes() == name);
        known.map(|constant| constant.1)
    });
    numbers
        .try_fold(0, |all, number| Some(all | number?))
        .unwrap_or(-1)
}
