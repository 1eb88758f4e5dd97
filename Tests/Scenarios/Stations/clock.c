/* The time of day for a program, so many seconds away from the machine's: its other clocks go on as they are. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static volatile const long *ahead;

__attribute__((constructor)) static void begin(void) {
    const char *path = getenv("STATION_CLOCK");
    int file = path ? open(path, O_RDONLY) : -1;
    void *found = file < 0 ? MAP_FAILED : mmap(NULL, sizeof(long), PROT_READ, MAP_SHARED, file, 0);
    if (found == MAP_FAILED) abort();
    close(file);
    ahead = found;
}

int clock_gettime(clockid_t clock, struct timespec *now) {
    int failed = (int)syscall(SYS_clock_gettime, clock, now);
    if (!failed && ahead && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) now->tv_sec += *ahead;
    return failed;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    struct timespec exact;
    (void)zone;
    if (clock_gettime(CLOCK_REALTIME, &exact)) return -1;
    now->tv_sec = exact.tv_sec;
    now->tv_usec = exact.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *now) {
    struct timespec exact;
    if (clock_gettime(CLOCK_REALTIME, &exact)) return (time_t)-1;
    if (now) *now = exact.tv_sec;
    return exact.tv_sec;
}
