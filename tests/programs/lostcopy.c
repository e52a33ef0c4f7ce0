/*
 * A copy from a guest that is killed meanwhile, of which the resident asks at once or later:
 *
 *     acprun -np 1 lostcopy MILLISECONDS WAY
 *     acprun -to RUN -np 1 lostcopy
 *
 * WAY is "complete" for acp_complete, "inquire" for acp_inquire until it returns 0, or "all" for acp_complete with all handles.
 * The resident prints the number of the failure, which is that of the copy, and then that of the next call, which is none.
 */
#include "program.h"

#include <dirent.h>
#include <signal.h>
#include <unistd.h>

struct guest {
    acp_ga_t at;
    int64_t pid;
};

/* The number of threads of a process that have not stopped yet. */
static int running(int64_t pid)
{
    char path[320], state;
    int count = 0;

    snprintf(path, sizeof path, "/proc/%lld/task", (long long)pid);
    DIR *tasks = opendir(path);
    CHECK(tasks != NULL, "%s cannot be opened", path);
    for (struct dirent *task; (task = readdir(tasks)) != NULL;) {
        if (task->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "/proc/%lld/task/%s/stat", (long long)pid, task->d_name);
        FILE *stat = fopen(path, "r");
        if (stat == NULL)
            continue; /* the thread has ended */
        count += fscanf(stat, "%*d (%*[^)]) %c", &state) != 1 || state != 'T';
        fclose(stat);
    }
    closedir(tasks);
    return count;
}

static int number_of(const char *way, acp_handle_t handle)
{
    ACP_ERRNO = 0;
    if (strcmp(way, "inquire") == 0)
        while (acp_inquire(handle))
            ;
    else
        acp_complete(strcmp(way, "all") == 0 ? ACP_HANDLE_ALL : handle);
    return ACP_ERRNO;
}

int main(int argc, char **argv)
{
    struct guest guest;
    char none;

    CHECK(acp_init(&argc, &argv) == 0, "errno %d", ACP_ERRNO);
    acp_ga_t own = acp_query_starter_ga(acp_rank());
    if (acp_cohort(acp_rank()) != 0) {
        guest = (struct guest){own, getpid()};
        CHECK(acp_put_value("guest", &guest, sizeof guest) > 0, "errno %d", ACP_ERRNO);
        acp_wait_value("never", 1, &none, 1, NULL);
        return 1;
    }
    printf("ready\n");
    fflush(stdout);
    CHECK(acp_wait_value("guest", 1, &guest, sizeof guest, NULL) == sizeof guest, "errno %d", ACP_ERRNO);
    const int rank = acp_query_rank(guest.at);
    acp_complete(acp_copy(own, guest.at, 8, ACP_HANDLE_NULL));
    CHECK(kill((pid_t)guest.pid, SIGSTOP) == 0, "errno %d", ACP_ERRNO);
    while (running(guest.pid) > 0)
        usleep(1000);
    acp_handle_t handle = acp_copy(own, guest.at, 8, ACP_HANDLE_NULL);
    CHECK(handle != ACP_HANDLE_NULL && acp_inquire(handle) == 1, "errno %d", ACP_ERRNO);
    CHECK(kill((pid_t)guest.pid, SIGKILL) == 0, "errno %d", ACP_ERRNO);
    usleep((useconds_t)atoi(argv[1]) * 1000);
    int first = number_of(argv[2], handle), second = number_of(argv[2], handle);
    printf("%d, then %d\n", first, second);
    /* The launcher of the guest reports its status, and not the end of the run. */
    for (int64_t seen = -1; acp_state(rank) != ACP_STATE_LOST;)
        CHECK((seen = acp_await_change(seen, -1)) >= 0, "errno %d", ACP_ERRNO);
    return acp_finalize();
}
