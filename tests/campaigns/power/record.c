/*
 * Records what a process does to the files below one folder, for the simulation of power losses.
 *
 * Loaded by LD_PRELOAD. POWER_ROOT names the folder (absolute, without symbolic links), POWER_LOG the
 * file that events are appended to, POWER_SYNC_MICROS how long each sync takes at least, so that other
 * threads write while it runs. tests/src/power reads the events; the numbers of kinds and the head are
 * the same there.
 *
 * An operation and its event are one step under a lock, so the order of events is the order of
 * operations. Syncs run outside of it and have two events: what was written before the first is
 * durable at the second. sync_file_range has none, because it makes nothing durable. What the model
 * does not know is an event too, and fails the test.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

enum kind {
    OPEN = 1, WRITE, LENGTH, MAKE_FOLDER, REMOVE_FOLDER, UNLINK, RENAME, LINK, SYNC_BEGIN, SYNC_END, UNKNOWN,
};

/* Flags of an OPEN event in `at`. */
enum { IS_FOLDER = 1, MAY_CREATE = 2, TRUNCATES = 4 };

struct head {
    uint32_t length; /* of the whole event */
    uint32_t kind;
    uint64_t file; /* inode number; the model knows which file has it at that moment */
    uint64_t at;
    uint32_t name; /* bytes of the name and of the other name behind the head; the rest is data */
    uint32_t other;
};

#define FILES 65536
#define PATH_SIZE 4096
#define INVALID ((size_t)-1)

struct opened {
    uint64_t file;
    char *path; /* NULL: not recorded */
};

static struct opened table[FILES];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char root[PATH_SIZE];
static size_t root_length;
static int log_file = -1;
static useconds_t sync_micros;
static uint64_t tickets;

/* The function of the C library that a wrapper replaces. */
#define REAL(result, name, ...)                                                                          \
    static result (*real)(__VA_ARGS__);                                                                  \
    if (!real)                                                                                           \
        *(void **)&real = dlsym(RTLD_NEXT, #name)

static int real_open(const char *path, int flags, mode_t mode) {
    REAL(int, open64, const char *, int, ...);
    return real(path, flags, mode);
}

__attribute__((constructor)) static void begin(void) {
    const char *folder = getenv("POWER_ROOT"), *events = getenv("POWER_LOG"), *micros = getenv("POWER_SYNC_MICROS");
    if (!folder || !events)
        return;
    root_length = strlen(folder);
    if (root_length >= sizeof root)
        return;
    memcpy(root, folder, root_length + 1);
    sync_micros = micros ? (useconds_t)atoi(micros) : 0;
    log_file = real_open(events, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
}

static void event(enum kind kind, uint64_t file, uint64_t at, const char *name, const char *other,
                  const struct iovec *data, int parts, size_t bytes) {
    static ssize_t (*real)(int, const struct iovec *, int);
    struct iovec all[3 + IOV_MAX];
    struct head head = {0};
    size_t left = bytes;
    int count = 3;
    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "writev");
    head.kind = kind;
    head.file = file;
    head.at = at;
    head.name = name ? strlen(name) : 0;
    head.other = other ? strlen(other) : 0;
    head.length = sizeof head + head.name + head.other + bytes;
    all[0] = (struct iovec){&head, sizeof head};
    all[1] = (struct iovec){(void *)name, head.name};
    all[2] = (struct iovec){(void *)other, head.other};
    for (int part = 0; part < parts && left > 0 && count < IOV_MAX; part++) {
        size_t length = data[part].iov_len < left ? data[part].iov_len : left;
        all[count++] = (struct iovec){data[part].iov_base, length};
        left -= length;
    }
    /* After an incomplete event the rest of the log would be unreadable. */
    if (real(log_file, all, count) != (ssize_t)head.length) {
        static const char sentence[] = "record: an event cannot be written\n";
        if (write(2, sentence, sizeof sentence - 1) < 0)
            _exit(98);
        _exit(99);
    }
}

static void plain(enum kind kind, uint64_t file, uint64_t at, const char *name, const char *other) {
    event(kind, file, at, name, other, NULL, 0, 0);
}

static void unknown(const char *what) {
    plain(UNKNOWN, 0, 0, what, NULL);
}

static int recorded(int fd) {
    return log_file >= 0 && fd >= 0 && fd < FILES && table[fd].path;
}

/* The path relative to the root; NULL when it is outside. */
static const char *below(int folder, const char *path, char *into) {
    size_t length = 0;
    if (log_file < 0 || !path)
        return NULL;
    if (path[0] != '/') {
        char link[64];
        ssize_t read;
        if (folder == AT_FDCWD)
            snprintf(link, sizeof link, "/proc/self/cwd");
        else
            snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
        read = readlink(link, into, PATH_SIZE - 1);
        if (read <= 0)
            return NULL;
        length = read;
    }
    while (*path) {
        size_t part = strcspn(path, "/");
        if (part == 2 && path[0] == '.' && path[1] == '.')
            return NULL;
        if (part > 0 && !(part == 1 && path[0] == '.')) {
            if (length + part + 2 > PATH_SIZE)
                return NULL;
            into[length++] = '/';
            memcpy(into + length, path, part);
            length += part;
        }
        path += part;
        path += *path == '/';
    }
    into[length] = 0;
    if (strncmp(into, root, root_length) || (into[root_length] && into[root_length] != '/'))
        return NULL;
    return into + root_length + (into[root_length] == '/');
}

static void forget(int fd) {
    if (fd >= 0 && fd < FILES && table[fd].path) {
        free(table[fd].path);
        table[fd].path = NULL;
    }
}

static void note_open(int fd, const char *path, int flags) {
    struct stat stat;
    uint64_t at = 0;
    if (fd >= FILES || fstat(fd, &stat)) {
        unknown("an open file that cannot be followed");
        return;
    }
    if ((flags & O_TMPFILE) == O_TMPFILE)
        unknown("a file without a name");
    at |= S_ISDIR(stat.st_mode) ? IS_FOLDER : 0;
    at |= flags & O_CREAT ? MAY_CREATE : 0;
    at |= flags & O_TRUNC ? TRUNCATES : 0;
    forget(fd);
    table[fd].file = stat.st_ino;
    table[fd].path = strdup(path);
    plain(OPEN, stat.st_ino, at, path, NULL);
}

static int open_below(int folder, const char *path, int flags, mode_t mode) {
    REAL(int, openat64, int, const char *, int, ...);
    char buffer[PATH_SIZE];
    const char *name = below(folder, path, buffer);
    int fd, error;
    if (!name)
        return real(folder, path, flags, mode);
    pthread_mutex_lock(&lock);
    fd = real(folder, path, flags, mode);
    error = errno;
    if (fd >= 0)
        note_open(fd, name, flags);
    pthread_mutex_unlock(&lock);
    errno = error;
    return fd;
}

#define MODE(flags, mode)                                                                                \
    do {                                                                                                 \
        va_list rest;                                                                                    \
        va_start(rest, flags);                                                                           \
        mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0;                                 \
        va_end(rest);                                                                                    \
    } while (0)

int open(const char *path, int flags, ...) {
    mode_t mode;
    MODE(flags, mode);
    return open_below(AT_FDCWD, path, flags, mode);
}

int open64(const char *path, int flags, ...) {
    mode_t mode;
    MODE(flags, mode);
    return open_below(AT_FDCWD, path, flags, mode);
}

int openat(int folder, const char *path, int flags, ...) {
    mode_t mode;
    MODE(flags, mode);
    return open_below(folder, path, flags, mode);
}

int openat64(int folder, const char *path, int flags, ...) {
    mode_t mode;
    MODE(flags, mode);
    return open_below(folder, path, flags, mode);
}

int creat(const char *path, mode_t mode) {
    return open_below(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode);
}

int creat64(const char *path, mode_t mode) {
    return open_below(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode);
}

int close(int fd) {
    REAL(int, close, int);
    int result;
    if (!recorded(fd))
        return real(fd);
    pthread_mutex_lock(&lock);
    forget(fd);
    result = real(fd);
    pthread_mutex_unlock(&lock);
    return result;
}

static int copied(int from, int to) {
    if (recorded(from) && to >= 0) {
        if (to >= FILES) {
            unknown("an open file that cannot be followed");
            return to;
        }
        pthread_mutex_lock(&lock);
        forget(to);
        table[to].file = table[from].file;
        table[to].path = strdup(table[from].path);
        pthread_mutex_unlock(&lock);
    }
    return to;
}

int dup(int fd) {
    REAL(int, dup, int);
    return copied(fd, real(fd));
}

int dup2(int fd, int to) {
    REAL(int, dup2, int, int);
    return copied(fd, real(fd, to));
}

int dup3(int fd, int to, int flags) {
    REAL(int, dup3, int, int, int);
    return copied(fd, real(fd, to, flags));
}

static int control(int fd, int command, void *argument) {
    REAL(int, fcntl64, int, int, ...);
    int result = real(fd, command, argument);
    return command == F_DUPFD || command == F_DUPFD_CLOEXEC ? copied(fd, result) : result;
}

int fcntl(int fd, int command, ...) {
    va_list rest;
    void *argument;
    va_start(rest, command);
    argument = va_arg(rest, void *);
    va_end(rest);
    return control(fd, command, argument);
}

int fcntl64(int fd, int command, ...) {
    va_list rest;
    void *argument;
    va_start(rest, command);
    argument = va_arg(rest, void *);
    va_end(rest);
    return control(fd, command, argument);
}

/* Runs a call that writes at the file's position or at an offset, and records what it wrote. */
#define WRITING(fd, call, offset, data, parts)                                                           \
    do {                                                                                                 \
        ssize_t result;                                                                                  \
        int error;                                                                                       \
        if (!recorded(fd))                                                                               \
            return call;                                                                                 \
        pthread_mutex_lock(&lock);                                                                       \
        result = call;                                                                                   \
        error = errno;                                                                                   \
        if (result > 0)                                                                                  \
            event(WRITE, table[fd].file, offset, NULL, NULL, data, parts, result);                       \
        pthread_mutex_unlock(&lock);                                                                     \
        errno = error;                                                                                   \
        return result;                                                                                   \
    } while (0)

ssize_t write(int fd, const void *bytes, size_t length) {
    REAL(ssize_t, write, int, const void *, size_t);
    struct iovec data = {(void *)bytes, length};
    WRITING(fd, real(fd, bytes, length), lseek(fd, 0, SEEK_CUR) - result, &data, 1);
}

ssize_t writev(int fd, const struct iovec *data, int parts) {
    REAL(ssize_t, writev, int, const struct iovec *, int);
    WRITING(fd, real(fd, data, parts), lseek(fd, 0, SEEK_CUR) - result, data, parts);
}

ssize_t pwrite64(int fd, const void *bytes, size_t length, off64_t offset) {
    REAL(ssize_t, pwrite64, int, const void *, size_t, off64_t);
    struct iovec data = {(void *)bytes, length};
    WRITING(fd, real(fd, bytes, length, offset), offset, &data, 1);
}

ssize_t pwrite(int fd, const void *bytes, size_t length, off_t offset) {
    return pwrite64(fd, bytes, length, offset);
}

ssize_t pwritev64(int fd, const struct iovec *data, int parts, off64_t offset) {
    REAL(ssize_t, pwritev64, int, const struct iovec *, int, off64_t);
    WRITING(fd, real(fd, data, parts, offset), offset, data, parts);
}

ssize_t pwritev(int fd, const struct iovec *data, int parts, off_t offset) {
    return pwritev64(fd, data, parts, offset);
}

/* The bytes copied by the kernel are read back from the file. */
static void note_copy(int fd, off64_t offset, size_t length) {
    char path[64], *bytes = malloc(length);
    struct iovec data = {bytes, length};
    int again;
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    again = real_open(path, O_RDONLY | O_CLOEXEC, 0);
    if (bytes && again >= 0 && pread64(again, bytes, length, offset) == (ssize_t)length)
        event(WRITE, table[fd].file, offset, NULL, NULL, &data, 1, length);
    else
        unknown("a copy that cannot be read back");
    if (again >= 0)
        close(again);
    free(bytes);
}

ssize_t copy_file_range(int from, off64_t *from_offset, int to, off64_t *to_offset, size_t length, unsigned flags) {
    REAL(ssize_t, copy_file_range, int, off64_t *, int, off64_t *, size_t, unsigned);
    ssize_t result;
    int error;
    if (!recorded(to))
        return real(from, from_offset, to, to_offset, length, flags);
    pthread_mutex_lock(&lock);
    result = real(from, from_offset, to, to_offset, length, flags);
    error = errno;
    if (result > 0)
        note_copy(to, (to_offset ? *to_offset : lseek(to, 0, SEEK_CUR)) - result, result);
    pthread_mutex_unlock(&lock);
    errno = error;
    return result;
}

static ssize_t send_file(int to, int from, off64_t *offset, size_t length) {
    REAL(ssize_t, sendfile64, int, int, off64_t *, size_t);
    ssize_t result;
    int error;
    if (!recorded(to))
        return real(to, from, offset, length);
    pthread_mutex_lock(&lock);
    result = real(to, from, offset, length);
    error = errno;
    if (result > 0)
        note_copy(to, lseek(to, 0, SEEK_CUR) - result, result);
    pthread_mutex_unlock(&lock);
    errno = error;
    return result;
}

ssize_t sendfile(int to, int from, off_t *offset, size_t length) {
    return send_file(to, from, (off64_t *)offset, length);
}

ssize_t sendfile64(int to, int from, off64_t *offset, size_t length) {
    return send_file(to, from, offset, length);
}

ssize_t splice(int from, off64_t *from_offset, int to, off64_t *to_offset, size_t length, unsigned flags) {
    REAL(ssize_t, splice, int, off64_t *, int, off64_t *, size_t, unsigned);
    if (recorded(to))
        unknown("splice");
    return real(from, from_offset, to, to_offset, length, flags);
}

int ftruncate64(int fd, off64_t length) {
    REAL(int, ftruncate64, int, off64_t);
    int result;
    if (!recorded(fd))
        return real(fd, length);
    pthread_mutex_lock(&lock);
    result = real(fd, length);
    if (result == 0)
        plain(LENGTH, table[fd].file, length, NULL, NULL);
    pthread_mutex_unlock(&lock);
    return result;
}

int ftruncate(int fd, off_t length) {
    return ftruncate64(fd, length);
}

int fallocate64(int fd, int mode, off64_t offset, off64_t length) {
    REAL(int, fallocate64, int, int, off64_t, off64_t);
    int result;
    struct stat stat;
    if (!recorded(fd))
        return real(fd, mode, offset, length);
    pthread_mutex_lock(&lock);
    result = real(fd, mode, offset, length);
    if (mode & ~FALLOC_FL_KEEP_SIZE)
        unknown("fallocate that changes what is there");
    if (result == 0 && mode == 0 && fstat(fd, &stat) == 0)
        plain(LENGTH, table[fd].file, stat.st_size, NULL, NULL);
    pthread_mutex_unlock(&lock);
    return result;
}

int fallocate(int fd, int mode, off_t offset, off_t length) {
    return fallocate64(fd, mode, offset, length);
}

int posix_fallocate64(int fd, off64_t offset, off64_t length) {
    return fallocate64(fd, 0, offset, length) ? errno : 0;
}

int posix_fallocate(int fd, off_t offset, off_t length) {
    return posix_fallocate64(fd, offset, length);
}

/* Runs a call that changes one name, and records it. */
#define NAMING(folder, path, call, kind)                                                                 \
    do {                                                                                                 \
        char buffer[PATH_SIZE];                                                                          \
        const char *name = below(folder, path, buffer);                                                  \
        int result, error;                                                                               \
        if (!name)                                                                                       \
            return call;                                                                                 \
        pthread_mutex_lock(&lock);                                                                       \
        result = call;                                                                                   \
        error = errno;                                                                                   \
        if (result == 0)                                                                                 \
            plain(kind, 0, 0, name, NULL);                                                               \
        pthread_mutex_unlock(&lock);                                                                     \
        errno = error;                                                                                   \
        return result;                                                                                   \
    } while (0)

int mkdir(const char *path, mode_t mode) {
    REAL(int, mkdir, const char *, mode_t);
    NAMING(AT_FDCWD, path, real(path, mode), MAKE_FOLDER);
}

int mkdirat(int folder, const char *path, mode_t mode) {
    REAL(int, mkdirat, int, const char *, mode_t);
    NAMING(folder, path, real(folder, path, mode), MAKE_FOLDER);
}

int rmdir(const char *path) {
    REAL(int, rmdir, const char *);
    NAMING(AT_FDCWD, path, real(path), REMOVE_FOLDER);
}

int unlink(const char *path) {
    REAL(int, unlink, const char *);
    NAMING(AT_FDCWD, path, real(path), UNLINK);
}

int unlinkat(int folder, const char *path, int flags) {
    REAL(int, unlinkat, int, const char *, int);
    NAMING(folder, path, real(folder, path, flags), flags & AT_REMOVEDIR ? REMOVE_FOLDER : UNLINK);
}

/* The same for a call with two names. */
#define NAMING_TWO(folder, path, other_folder, other_path, call, kind)                                   \
    do {                                                                                                 \
        char buffer[PATH_SIZE], other_buffer[PATH_SIZE];                                                 \
        const char *name = below(folder, path, buffer);                                                  \
        const char *other = below(other_folder, other_path, other_buffer);                               \
        int result, error;                                                                               \
        if (!name && !other)                                                                             \
            return call;                                                                                 \
        pthread_mutex_lock(&lock);                                                                       \
        result = call;                                                                                   \
        error = errno;                                                                                   \
        if (result == 0 && name && other)                                                                \
            plain(kind, 0, 0, name, other);                                                              \
        else if (result == 0)                                                                            \
            unknown("a name that comes from or goes to another place");                                  \
        pthread_mutex_unlock(&lock);                                                                     \
        errno = error;                                                                                   \
        return result;                                                                                   \
    } while (0)

int rename(const char *path, const char *to) {
    REAL(int, rename, const char *, const char *);
    NAMING_TWO(AT_FDCWD, path, AT_FDCWD, to, real(path, to), RENAME);
}

int renameat(int folder, const char *path, int to_folder, const char *to) {
    REAL(int, renameat, int, const char *, int, const char *);
    NAMING_TWO(folder, path, to_folder, to, real(folder, path, to_folder, to), RENAME);
}

int renameat2(int folder, const char *path, int to_folder, const char *to, unsigned flags) {
    REAL(int, renameat2, int, const char *, int, const char *, unsigned);
    /* RENAME_NOREPLACE does not change the effect of a successful call. */
    if (flags & ~1U && below(folder, path, (char[PATH_SIZE]){0}))
        unknown("renameat2 with flags");
    NAMING_TWO(folder, path, to_folder, to, real(folder, path, to_folder, to, flags), RENAME);
}

int link(const char *path, const char *to) {
    REAL(int, link, const char *, const char *);
    NAMING_TWO(AT_FDCWD, path, AT_FDCWD, to, real(path, to), LINK);
}

int linkat(int folder, const char *path, int to_folder, const char *to, int flags) {
    REAL(int, linkat, int, const char *, int, const char *, int);
    NAMING_TWO(folder, path, to_folder, to, real(folder, path, to_folder, to, flags), LINK);
}

int symlink(const char *target, const char *path) {
    REAL(int, symlink, const char *, const char *);
    char buffer[PATH_SIZE];
    if (below(AT_FDCWD, path, buffer))
        unknown("a symbolic link");
    return real(target, path);
}

int truncate64(const char *path, off64_t length) {
    REAL(int, truncate64, const char *, off64_t);
    char buffer[PATH_SIZE];
    if (below(AT_FDCWD, path, buffer))
        unknown("truncate by name");
    return real(path, length);
}

int truncate(const char *path, off_t length) {
    return truncate64(path, length);
}

#define SYNCING(fd, call)                                                                                \
    do {                                                                                                 \
        uint64_t file, ticket;                                                                           \
        int result, error;                                                                               \
        if (!recorded(fd))                                                                               \
            return call;                                                                                 \
        pthread_mutex_lock(&lock);                                                                       \
        file = table[fd].file;                                                                           \
        ticket = ++tickets | (uint64_t)getpid() << 32;                                                   \
        plain(SYNC_BEGIN, file, ticket, NULL, NULL);                                                     \
        pthread_mutex_unlock(&lock);                                                                     \
        if (sync_micros)                                                                                 \
            usleep(sync_micros);                                                                         \
        result = call;                                                                                   \
        error = errno;                                                                                   \
        if (result == 0)                                                                                 \
            plain(SYNC_END, file, ticket, NULL, NULL);                                                   \
        errno = error;                                                                                   \
        return result;                                                                                   \
    } while (0)

int fsync(int fd) {
    REAL(int, fsync, int);
    SYNCING(fd, real(fd));
}

int fdatasync(int fd) {
    REAL(int, fdatasync, int);
    SYNCING(fd, real(fd));
}

int syncfs(int fd) {
    REAL(int, syncfs, int);
    if (recorded(fd))
        unknown("syncfs");
    return real(fd);
}

static void *map(void *address, size_t length, int protection, int flags, int fd, off64_t offset) {
    REAL(void *, mmap64, void *, size_t, int, int, int, off64_t);
    if (recorded(fd) && (protection & PROT_WRITE) && (flags & MAP_SHARED))
        unknown("a writable mapping");
    return real(address, length, protection, flags, fd, offset);
}

void *mmap64(void *address, size_t length, int protection, int flags, int fd, off64_t offset) {
    return map(address, length, protection, flags, fd, offset);
}

void *mmap(void *address, size_t length, int protection, int flags, int fd, off_t offset) {
    return map(address, length, protection, flags, fd, offset);
}
