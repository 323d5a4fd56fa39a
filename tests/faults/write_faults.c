/* Stands before libc (LD_PRELOAD) and lets the n-th write below one folder go wrong.
 *
 * A write is any call by which a process changes what is below $FAULT_UNDER: data written, a file made, linked, renamed
 * or deleted, a folder made or removed. They are counted from 1 in the process $FAULT_PARENT and its children; those of
 * workers pass. At write $FAULT_AT, before it happens,
 *
 *   $FAULT_HOW=kill   the process kills itself, as kill -9 would at that moment
 *   $FAULT_HOW=stop   the process stops itself, at this write and at every later one, until it is sent SIGCONT
 *   $FAULT_HOW=full   the disk is full: this write and every later one fails with ENOSPC (deleting goes on)
 *   $FAULT_HOW=once   this write alone fails with ENOSPC
 *
 * $FAULT_LOG names a file to which every write adds a line: its number, its name, its path.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static int counted;

/* Count from 1 again. */
void recount(void);
void recount(void) { counted = 0; }

static int meant(void) {
    const char *parent = getenv("FAULT_PARENT");
    return parent && (getppid() == atoi(parent) || getpid() == atoi(parent));
}

static void note(int number, const char *name, const char *path) {
    const char *log = getenv("FAULT_LOG");
    char line[PATH_MAX + 64];
    if (!log) return;
    int file = (int)syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_APPEND | O_CREAT, 0600);
    if (file < 0) return;
    int length = snprintf(line, sizeof line, "%d %s %s\n", number, name, path);
    syscall(SYS_write, file, line, (size_t)length);
    syscall(SYS_close, file);
}

/* Count a write to `path`; return 1 if it is to fail with ENOSPC. `frees` says that it takes no space. */
static int fault(const char *name, const char *path, int frees) {
    const char *under = getenv("FAULT_UNDER"), *how = getenv("FAULT_HOW"), *at = getenv("FAULT_AT");
    if (!under || !path || strncmp(path, under, strlen(under)) || !meant()) return 0;
    int number = __sync_add_and_fetch(&counted, 1), first = at ? atoi(at) : 0;
    note(number, name, path);
    if (!how || !first || number < first) return 0;
    if (!strcmp(how, "kill")) syscall(SYS_kill, getpid(), SIGKILL);
    if (!strcmp(how, "stop")) syscall(SYS_kill, getpid(), SIGSTOP);
    if (frees || (!strcmp(how, "once") && number > first)) return 0;
    if (strcmp(how, "full") && strcmp(how, "once")) return 0;
    errno = ENOSPC;
    return 1;
}

static int fault_fd(const char *name, int fd) {
    char link[64], path[PATH_MAX];
    int saved = errno;
    if (!getenv("FAULT_UNDER")) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    errno = saved;
    if (length <= 0) return 0;
    path[length] = 0;
    return fault(name, path, 0);
}

/* The same for a path that is relative to the folder `at`. */
static int fault_at(const char *name, int at, const char *path, int frees) {
    char link[64], whole[2 * PATH_MAX];
    if (at == AT_FDCWD || path[0] == '/') return fault(name, path, frees);
    snprintf(link, sizeof link, "/proc/self/fd/%d", at);
    ssize_t length = readlink(link, whole, PATH_MAX);
    if (length <= 0) return 0;
    snprintf(whole + length, sizeof whole - (size_t)length, "/%s", path);
    return fault(name, whole, frees);
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

ssize_t write(int fd, const void *data, size_t size) {
    return fault_fd("write", fd) ? -1 : NEXT(write)(fd, data, size);
}
ssize_t writev(int fd, const struct iovec *parts, int count) {
    return fault_fd("writev", fd) ? -1 : NEXT(writev)(fd, parts, count);
}
ssize_t pwrite(int fd, const void *data, size_t size, off_t at) {
    return fault_fd("pwrite", fd) ? -1 : NEXT(pwrite)(fd, data, size, at);
}
ssize_t pwrite64(int fd, const void *data, size_t size, off64_t at) {
    return fault_fd("pwrite", fd) ? -1 : NEXT(pwrite64)(fd, data, size, at);
}
ssize_t sendfile(int to, int from, off_t *at, size_t size);
ssize_t sendfile(int to, int from, off_t *at, size_t size) {
    return fault_fd("sendfile", to) ? -1 : NEXT(sendfile)(to, from, at, size);
}
ssize_t sendfile64(int to, int from, off64_t *at, size_t size);
ssize_t sendfile64(int to, int from, off64_t *at, size_t size) {
    return fault_fd("sendfile", to) ? -1 : NEXT(sendfile64)(to, from, at, size);
}
ssize_t copy_file_range(int from, off64_t *in, int to, off64_t *out, size_t size, unsigned flags) {
    return fault_fd("copy_file_range", to) ? -1 : NEXT(copy_file_range)(from, in, to, out, size, flags);
}
int ftruncate(int fd, off_t size) { return fault_fd("truncate", fd) ? -1 : NEXT(ftruncate)(fd, size); }
int ftruncate64(int fd, off64_t size) { return fault_fd("truncate", fd) ? -1 : NEXT(ftruncate64)(fd, size); }

#define MODE                                  \
    mode_t mode = 0;                          \
    if (flags & O_CREAT) {                    \
        va_list rest;                         \
        va_start(rest, flags);                \
        mode = (mode_t)va_arg(rest, int);     \
        va_end(rest);                         \
    }
#define MADE(path) ((flags & O_CREAT) && access(path, F_OK) && fault("create", path, 0))

int open(const char *path, int flags, ...) {
    MODE
    return MADE(path) ? -1 : NEXT(open)(path, flags, mode);
}
int open64(const char *path, int flags, ...) {
    MODE
    return MADE(path) ? -1 : NEXT(open64)(path, flags, mode);
}
int openat(int at, const char *path, int flags, ...) {
    MODE
    return MADE(path) ? -1 : NEXT(openat)(at, path, flags, mode);
}
int openat64(int at, const char *path, int flags, ...) {
    MODE
    return MADE(path) ? -1 : NEXT(openat64)(at, path, flags, mode);
}
int mkdir(const char *path, mode_t mode) {
    return access(path, F_OK) && fault("mkdir", path, 0) ? -1 : NEXT(mkdir)(path, mode);
}
int link(const char *from, const char *to) { return fault("link", to, 0) ? -1 : NEXT(link)(from, to); }
int linkat(int a, const char *from, int b, const char *to, int flags) {
    return fault_at("link", b, to, 0) ? -1 : NEXT(linkat)(a, from, b, to, flags);
}
int rename(const char *from, const char *to) { return fault("rename", to, 0) ? -1 : NEXT(rename)(from, to); }
int renameat(int a, const char *from, int b, const char *to) {
    return fault_at("rename", b, to, 0) ? -1 : NEXT(renameat)(a, from, b, to);
}
int renameat2(int a, const char *from, int b, const char *to, unsigned flags) {
    return fault_at("rename", b, to, 0) ? -1 : NEXT(renameat2)(a, from, b, to, flags);
}
int unlink(const char *path) { return fault("unlink", path, 1) ? -1 : NEXT(unlink)(path); }
int unlinkat(int at, const char *path, int flags) {
    return fault_at("unlink", at, path, 1) ? -1 : NEXT(unlinkat)(at, path, flags);
}
int rmdir(const char *path) { return fault("rmdir", path, 1) ? -1 : NEXT(rmdir)(path); }
