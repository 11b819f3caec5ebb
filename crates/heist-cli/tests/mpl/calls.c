// System calls that fail or wait. Tests load this library before the C library, so that it replaces these calls.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

// Returns the path of an open file, or an empty string if the file is not open.
static void path_of(int file, char *path, size_t size) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    long length = syscall(SYS_readlink, link, path, size - 1);
    path[length < 0 ? 0 : length] = 0;
}

static int is_marked(const char *path) {
    const char *name = strrchr(path, '/');
    return name && strcmp(name, "/marked") == 0 && !getenv("PLAIN_CLOSE");
}

// Closes `marked` with an error, and reports files that are not open.
int close(int file) {
    char path[4096];
    path_of(file, path, sizeof path);
    int result = syscall(SYS_close, file);
    if (path[0] == 0) {
        static const char said[] = "closed twice\n";
        syscall(SYS_write, 2, said, sizeof said - 1);
    } else if (is_marked(path)) {
        errno = EIO;
        return -1;
    }
    return result;
}

// Fails with the error that the environment names.
int fallocate(int file, int mode, off_t from, off_t length) {
    const char *error = getenv("FALLOCATE");
    if (error) {
        // Behaves as a disk that gets full during the call.
        if (atoi(error) == ENOSPC)
            syscall(SYS_ftruncate, file, from + length / 2);
        errno = atoi(error);
        return -1;
    }
    return syscall(SYS_fallocate, file, mode, from, length);
}
int fallocate64(int file, int mode, off_t from, off_t length) { return fallocate(file, mode, from, length); }

// Fails for maps of this length.
int munmap(void *at, size_t length) {
    if (length == 12345) {
        errno = ENOMEM;
        return -1;
    }
    return syscall(SYS_munmap, at, length);
}

// Makes the file `in`, and waits for the file `go`. Fails after ten seconds.
int fsync(int file) {
    int in = syscall(SYS_openat, AT_FDCWD, "in", O_CREAT | O_WRONLY, 0600);
    syscall(SYS_close, in);
    for (int k = 0; k < 1000; k++) {
        if (syscall(SYS_faccessat, AT_FDCWD, "go", F_OK) == 0)
            return 0;
        usleep(10000);
    }
    errno = EIO;
    return -1;
}
