// Moves the time of day of the process that preloads it, and no other clock, by the seconds that a file says at each look:
// one number of eight bytes, as the machine writes it.
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static const volatile int64_t *off_s;

__attribute__((constructor)) static void find_off(void) {
    const char *path = getenv("CLOCK_OFF_FILE");
    int file = path == NULL ? -1 : open(path, O_RDONLY | O_CLOEXEC);
    void *shared = mmap(NULL, sizeof *off_s, PROT_READ, MAP_SHARED, file, 0);
    if (shared == MAP_FAILED) _exit(126);
    off_s = shared;
    close(file);
}

int clock_gettime(clockid_t clock, struct timespec *time) {
    int failed = (int)syscall(SYS_clock_gettime, clock, time);
    if (failed == 0 && clock == CLOCK_REALTIME) time->tv_sec += *off_s;
    return failed;
}
