#define _GNU_SOURCE
#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

/* How many KiB of address space a launcher needs. The runtime of Go reserves 1.2 GiB at its start and uses
 * little of it. Each thread reserves 8 MiB for its stack. */
enum { NEEDED = 1450000 };

/* begin is called before the runtime of Go starts. Without enough address space the runtime ends the program
 * with a trace of goroutines. */
__attribute__((constructor)) static void begin(void)
{
#ifdef M_ARENA_MAX
	/* Without this, glibc reserves another 64 MiB for each thread that allocates memory. */
	mallopt(M_ARENA_MAX, 1);
#endif
	struct rlimit limit;
	if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur / 1024 >= NEEDED)
		return;
	dprintf(2, "%s: the limit of address space is %llu KiB (ulimit -v); launchers need %d KiB or more, of which they use little\n",
	        program_invocation_short_name, (unsigned long long)limit.rlim_cur / 1024, NEEDED);
	_exit(1);
}
