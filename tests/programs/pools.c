/*
 * Checks whether peers of the host have mapped memory of malloc that is registered.
 *
 *     pools SIZE PER_HOST mapped|copied|windows
 *
 * Each rank registers a block of SIZE bytes. PER_HOST ranks after each other are on one host. The first of them stops
 * the next rank, and accesses its block. An atomic on mapped memory is executed at once, and an atomic on other
 * memory only when the next rank continues. With windows of MPI, which may be either, no rank is stopped. All ranks
 * access the blocks of all.
 */
#include "program.h"

#include <dirent.h>
#include <signal.h>
#include <time.h>

/* The data of a rank for other ranks, at the beginning of its starter memory. */
struct news {
    acp_ga_t block;
    uint64_t pid;
};

static void pause_for(long milliseconds)
{
    const struct timespec time = {0, milliseconds * 1000000};

    nanosleep(&time, NULL);
}

/* is_stopped returns whether a thread is stopped. */
static int is_stopped(const char *process, const char *thread)
{
    char path[600], state = 0;

    snprintf(path, sizeof path, "%s/%s/stat", process, thread);
    FILE *f = fopen(path, "r");
    if (f == NULL)
        return 1; /* it has ended */
    if (fscanf(f, "%*d (%*[^)]) %c", &state) != 1)
        state = 0;
    fclose(f);
    return state == 'T' || state == 0;
}

/* stop stops a process and waits until all of its threads have stopped. */
static void stop(pid_t pid)
{
    char threads[64];
    int running = 1;

    CHECK(kill(pid, SIGSTOP) == 0, "process %d cannot be stopped", (int)pid);
    snprintf(threads, sizeof threads, "/proc/%d/task", (int)pid);
    while (running) {
        running = 0;
        DIR *d = opendir(threads);
        CHECK(d != NULL, "no %s", threads);
        for (struct dirent *e; (e = readdir(d)) != NULL;)
            if (e->d_name[0] != '.' && !is_stopped(threads, e->d_name))
                running = 1;
        closedir(d);
        if (running)
            pause_for(1);
    }
}

static struct news news_of(int rank)
{
    struct news *here = (struct news *)starter() + 1;

    DONE(acp_copy(acp_query_starter_ga(acp_rank()) + sizeof *here, acp_query_starter_ga(rank), sizeof *here, ACP_HANDLE_NULL));
    return *here;
}

/* Where in starter memory the results of GMAs are. */
enum { scratch = 64 };

static void use_stopped(int rank, int mapped)
{
    struct news n = news_of(rank);
    acp_ga_t here = acp_query_starter_ga(acp_rank()) + scratch;

    DONE(acp_add8(here, n.block, 0, ACP_HANDLE_NULL)); /* both sides are connected now */
    stop((pid_t)n.pid);
    acp_handle_t h = acp_add8(here, n.block + 8, 100, ACP_HANDLE_NULL);
    if (mapped) {
        acp_complete(h);
        DONE(acp_copy(n.block + 16, here - scratch, 8, ACP_HANDLE_NULL));
        DONE(acp_copy(here + 8, n.block + 16, 8, ACP_HANDLE_NULL));
    }
    else {
        pause_for(50);
        CHECK(acp_inquire(h) != 0, "a stopped process has carried out an atomic");
    }
    CHECK(kill((pid_t)n.pid, SIGCONT) == 0, "process %d cannot go on", (int)n.pid);
    acp_complete(h);
}

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    CHECK(argc == 4, "usage: pools SIZE PER_HOST mapped|copied|windows");
    size_t size = strtoul(argv[1], NULL, 10);
    int per_host = atoi(argv[2]), mapped = strcmp(argv[3], "mapped") == 0, stops = strcmp(argv[3], "windows") != 0;
    CHECK(size >= 64 && per_host > 1 && acp_procs() % per_host == 0, "wrong arguments");
    int rank = acp_rank(), procs = acp_procs();

    for (int turn = 0; turn < 3; turn++) {
        uint64_t *block = malloc(size), *other = malloc(size);
        CHECK(block != NULL && other != NULL, "no memory");
        memset(block, 0, size);
        acp_atkey_t key = acp_register_memory(block, size, 0);
        struct news *own = starter();
        own->block = acp_query_ga(key, block);
        own->pid = (uint64_t)getpid();
        CHECK(own->block != ACP_GA_NULL, "block of %zu bytes is not registered", size);
        sync_all();

        if (stops && rank % per_host == 0)
            use_stopped(rank + 1, mapped);
        acp_ga_t here = acp_query_starter_ga(rank) + scratch;
        for (int r = 0; r < procs; r++) {
            DONE(acp_add8(here, news_of(r).block, 1, ACP_HANDLE_NULL));
            DONE(acp_copy(news_of(r).block + 24 + 4 * (acp_ga_t)rank, here, 4, ACP_HANDLE_NULL));
        }
        sync_all();
        CHECK(block[0] == (uint64_t)procs, "%d ranks have added %llu", procs, (unsigned long long)block[0]);
        CHECK(block[1] == (stops && rank % per_host == 1 ? 100 : 0), "the sum is %llu", (unsigned long long)block[1]);

        CHECK(acp_unregister_memory(key) == 0, "unregister");
        free(block);
        free(other);
        if (turn == 1)
            CHECK(acp_reset(rank) == 0, "reset");
        sync_all();
    }
    if (rank == 0)
        printf("%d ranks, blocks of %zu bytes: %s\n", procs, size, argv[3]);
    end();
    return 0;
}
