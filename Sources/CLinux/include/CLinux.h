#pragma once
// What Glibc hides from Swift: GNU extensions, variadics, ioctl numbers. Every function returns 0 or an errno value unless it says otherwise.
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/// Renames only if the new name is free: EEXIST otherwise. Falls back to link + unlink where the file system knows no such rename.
int fg_rename_exclusive(int old_dir, const char *old_name, int new_dir, const char *new_name);
/// The same, but EOPNOTSUPP where the file system knows neither: for names under which others write. The old name must be ours: where there
/// are only links, a file that somebody puts under it meanwhile is removed.
int fg_rename_or_link(int old_dir, const char *old_name, int new_dir, const char *new_name);
/// Makes `to` share the bytes of `from` (FICLONE). EOPNOTSUPP, EXDEV, EINVAL where the file system cannot.
int fg_clone(int to, int from);
/// 1 when any extent of the open file is shared with another file (FIEMAP), 0 when none is, -1 when the file system cannot tell.
int fg_has_shared_extents(int fd);
/// Bytes of the extended attribute `name` of `path`, following links, into `value`; -1 where there is none, or more than `size`.
long fg_attribute(const char *path, const char *name, void *value, size_t size);
/// Opens read-only past the page cache; -1 and errno on failure (EINVAL: the file system has no direct I/O).
int fg_open_direct(const char *path);
/// Turns writing past the page cache on or off for an open file. EINVAL where the file system has none.
int fg_set_direct(int fd, int on);
/// Takes room for a file of `size` bytes without making it any longer. EOPNOTSUPP where the file system cannot.
int fg_reserve(int fd, off_t size);
/// Opens a directory for *at calls and fsync; -1 and errno on failure.
int fg_open_directory(const char *path);
/// Opens `path` below the open folder `directory` for reading: no part of it may be a link or lead out of there. Never waits for a FIFO's other
/// end. -1 and errno on failure: ELOOP for a link, EXDEV for what lies elsewhere.
int fg_open_beneath(int directory, const char *path);
/// From now on this process gets only the time and the disk that nobody else wants.
void fg_run_when_idle(void);
/// Both ends of a pipe, reading first, that no program inherits: at once, however many threads start programs.
int fg_pipe(int ends[2]);
/// Has a program started with no open file but 0, 1 and 2; `actions` is a posix_spawn_file_actions_t, after all other actions.
int fg_inherit_streams_only(void *actions);
/// Filesystem type number (statfs f_type), or 0.
uint64_t fg_fs_type(const char *path);

typedef struct {
    uint64_t size, inode, device;
    int64_t modified_ns, changed_ns, born_ns;  // born_ns: 0 where unknown
    uint32_t mode, links;
} fg_stat;
/// statx without following links; `directory` may be AT_FDCWD (-100).
int fg_stat_at(int directory, const char *name, fg_stat *out);

/// Bytes that have come over a TCP connection so far, as its peer sent them; -1 for other sockets.
int64_t fg_bytes_received(int fd);

/// For programs that run for days: few heaps whatever the number of threads, and large pieces go back to the system when they are freed.
void fg_memory_keep_steady(void);
/// Gives pages that nothing uses back to the system; takes some milliseconds.
void fg_memory_give_back(void);
/// Lets go of the program's own pages, which come back from its file where they are needed again.
void fg_memory_forget_program(void);
