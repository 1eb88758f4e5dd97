#define _GNU_SOURCE
#include "CLinux.h"
#include <malloc.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <spawn.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <linux/ioprio.h>
#include <linux/openat2.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/xattr.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

int fg_rename_or_link(int old_dir, const char *old_name, int new_dir, const char *new_name) {
    if (renameat2(old_dir, old_name, new_dir, new_name, RENAME_NOREPLACE) == 0) return 0;
    if (errno != EINVAL && errno != ENOSYS) return errno;
    if (linkat(old_dir, old_name, new_dir, new_name, 0) == 0) {
        unlinkat(old_dir, old_name, 0);
        return 0;
    }
    return errno == EPERM || errno == ENOSYS ? EOPNOTSUPP : errno;
}

int fg_rename_exclusive(int old_dir, const char *old_name, int new_dir, const char *new_name) {
    int answer = fg_rename_or_link(old_dir, old_name, new_dir, new_name);
    if (answer != EOPNOTSUPP) return answer;
    // Neither exclusive rename nor hard links (FAT through FUSE): reserve the name, then rename over our own empty file.
    int fd = openat(new_dir, new_name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0) return errno;
    close(fd);
    if (renameat(old_dir, old_name, new_dir, new_name) == 0) return 0;
    int failure = errno;
    unlinkat(new_dir, new_name, 0);
    return failure;
}

int fg_pipe(int ends[2]) { return pipe2(ends, O_CLOEXEC) == 0 ? 0 : errno; }

int fg_clone(int to, int from) { return ioctl(to, FICLONE, from) == 0 ? 0 : errno; }

long fg_attribute(const char *path, const char *name, void *value, size_t size) { return getxattr(path, name, value, size); }

int fg_has_shared_extents(int fd) {
    const unsigned count = 64;
    struct fiemap *map = calloc(1, sizeof *map + count * sizeof(struct fiemap_extent));
    if (!map) return -1;
    uint64_t start = 0;
    int answer = 0;
    for (;;) {
        memset(map, 0, sizeof *map);
        map->fm_start = start;
        map->fm_length = FIEMAP_MAX_OFFSET - start;
        map->fm_extent_count = count;
        if (ioctl(fd, FS_IOC_FIEMAP, map) != 0) { answer = -1; break; }
        if (map->fm_mapped_extents == 0) break;
        int last = 0;
        for (unsigned i = 0; i < map->fm_mapped_extents; i++) {
            if (map->fm_extents[i].fe_flags & FIEMAP_EXTENT_SHARED) answer = 1;
            if (map->fm_extents[i].fe_flags & FIEMAP_EXTENT_LAST) last = 1;
            start = map->fm_extents[i].fe_logical + map->fm_extents[i].fe_length;
        }
        if (answer == 1 || last) break;
    }
    free(map);
    return answer;
}

int fg_open_direct(const char *path) { return open(path, O_RDONLY | O_DIRECT | O_CLOEXEC | O_NOFOLLOW); }

int fg_set_direct(int fd, int on) {
    int flags = fcntl(fd, F_GETFL);
    if (flags < 0) return errno;
    return fcntl(fd, F_SETFL, on ? flags | O_DIRECT : flags & ~O_DIRECT) == 0 ? 0 : errno;
}

int fg_reserve(int fd, off_t size) {
    if (size <= 0) return 0;
    int result;
    do result = fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, size); while (result != 0 && errno == EINTR);
    return result == 0 ? 0 : errno;
}

int fg_open_directory(const char *path) { return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC); }

// One part after the other, none of them a link: what openat2 promises, on kernels and in containers that do not have it.
static int open_step_by_step(int directory, const char *path, int flags) {
    char part[256];
    int at = directory;
    for (;;) {
        while (*path == '/') path++;
        size_t length = strcspn(path, "/");
        int is_last = path[length] == 0, failure = 0, next = -1;
        if (length >= sizeof part) failure = ENAMETOOLONG;
        memcpy(part, path, length < sizeof part ? length : 0);
        part[length < sizeof part ? length : 0] = 0;
        if (!failure && (length == 0 || strcmp(part, "..") == 0)) failure = EXDEV;
        if (!failure) {
            next = openat(at, part, (is_last ? flags : O_PATH | O_DIRECTORY | O_CLOEXEC) | O_NOFOLLOW);
            if (next < 0) failure = errno;
        }
        if (at != directory) close(at);
        if (failure) errno = failure;
        if (failure || is_last) return next;
        at = next;
        path += length;
    }
}

int fg_open_beneath(int directory, const char *path) {
    struct open_how how = {
        .flags = O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY,
        .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS,
    };
    int fd;
    do fd = (int)syscall(SYS_openat2, directory, path, &how, sizeof how); while (fd < 0 && (errno == EINTR || errno == EAGAIN));
    if (fd >= 0 || (errno != ENOSYS && errno != EPERM)) return fd;
    return open_step_by_step(directory, path, (int)how.flags);
}

void fg_run_when_idle(void) {
    struct sched_param none = {0};
    sched_setscheduler(0, SCHED_IDLE, &none);
    setpriority(PRIO_PROCESS, 0, 19);
    syscall(SYS_ioprio_set, IOPRIO_WHO_PROCESS, 0, IOPRIO_PRIO_VALUE(IOPRIO_CLASS_IDLE, 0));
}

uint64_t fg_fs_type(const char *path) {
    struct statfs s;
    return statfs(path, &s) == 0 ? (uint64_t)s.f_type : 0;
}

int fg_stat_at(int directory, const char *name, fg_stat *out) {
    struct statx s;
    if (statx(directory, name, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT, STATX_BASIC_STATS | STATX_BTIME, &s) != 0) return errno;
    out->size = s.stx_size;
    out->inode = s.stx_ino;
    out->device = makedev(s.stx_dev_major, s.stx_dev_minor);
    out->modified_ns = (int64_t)s.stx_mtime.tv_sec * 1000000000 + s.stx_mtime.tv_nsec;
    out->changed_ns = (int64_t)s.stx_ctime.tv_sec * 1000000000 + s.stx_ctime.tv_nsec;
    out->born_ns = s.stx_mask & STATX_BTIME ? (int64_t)s.stx_btime.tv_sec * 1000000000 + s.stx_btime.tv_nsec : 0;
    out->mode = s.stx_mode;
    out->links = s.stx_nlink;
    return 0;
}

void fg_memory_keep_steady(void) {
    mallopt(M_ARENA_MAX, 1);
    // What is kept of every file of a shoot lies in a few arrays, which are made anew as they grow: on the heap each
    // would leave a hole behind. SQLite's and libcurl's blocks stay on it, which come and go with every file: 86 and
    // 64 KiB.
    mallopt(M_MMAP_THRESHOLD, 96 << 10);
    mallopt(M_TRIM_THRESHOLD, 4 << 20);
}

void fg_memory_give_back(void) { malloc_trim(0); }

// What is mapped to be written holds relocations, and is left alone; the rest is as it is in its file.
static int forget_object(struct dl_phdr_info *object, size_t size, void *none) {
    (void)size, (void)none;
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[i];
        if (part->p_type != PT_LOAD || part->p_flags & PF_W) continue;
        uintptr_t start = object->dlpi_addr + part->p_vaddr, end = start + part->p_memsz;
        start &= ~(page - 1);
        madvise((void *)start, end - start, MADV_DONTNEED);
    }
    return 0;
}

void fg_memory_forget_program(void) { dl_iterate_phdr(forget_object, NULL); }

int fg_inherit_streams_only(void *actions) { return posix_spawn_file_actions_addclosefrom_np(actions, 3); }

int64_t fg_bytes_received(int fd) {
    struct tcp_info info = {0};
    socklen_t size = sizeof info;
    if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size) != 0) return -1;
    // An older kernel answers with less.
    if (size < offsetof(struct tcp_info, tcpi_bytes_received) + sizeof info.tcpi_bytes_received) return -1;
    return (int64_t)info.tcpi_bytes_received;
}
