/*
 * Finds its partners by the names of their jobs, in any order of the jobs. Every process sends a word to every
 * process of the other jobs, by addresses and by named values. The first processes of all jobs wait for each other,
 * and one of them sends a word to the others. With -reset, ranks change first.
 *
 *     partners [[-reset] OWN OTHER ...]
 *
 * Without names it prints the name of its job.
 */
#include "program.h"

enum { MOST = 16 }; /* processes of a job */

/* word is the word that process i of the job called name sends to other processes. */
static uint64_t word(const char *name, int i)
{
    uint64_t x = (uint64_t)i + 1;

    for (; *name; name++)
        x = x * 131 + (unsigned char)*name;
    return x;
}

/* place returns how many of the names come before name: the jobs of a run all count alike. */
static size_t place(char **names, int count, const char *name)
{
    size_t before = 0;

    for (int j = 0; j < count; j++)
        before += strcmp(names[j], name) < 0;
    return before;
}

/* process returns the number of the caller in its job. */
static int process(int job)
{
    int i = 0;

    while (acp_job_rank(job, i) != acp_rank())
        CHECK(++i < acp_job_procs(job), "job %d does not have its process", job);
    return i;
}

/* meet sends a word to all processes of other jobs, and checks the words from them. names[0] is the own job. */
static void meet(char **names, int count)
{
    int own = acp_job_find(names[0]), me = process(own);
    uint64_t *mine = starter();
    size_t given = MOST * (size_t)count, at = MOST * place(names, count, names[0]) + (size_t)me;

    CHECK(own == acp_job(acp_rank()) && strcmp(acp_job_name(own), names[0]) == 0, "this is not %s", names[0]);
    mine[given] = word(names[0], me);
    for (int j = 1; j < count; j++) {
        int other = acp_job_find(names[j]);

        CHECK(other >= 0 && other != own, "%s is job %d", names[j], other);
        for (int i = 0; i < acp_job_procs(other); i++)
            DONE(acp_copy(acp_query_starter_ga(acp_job_rank(other, i)) + 8 * at,
                          acp_query_starter_ga(acp_rank()) + 8 * given, 8, ACP_HANDLE_NULL));
    }
    sync_all();
    for (int j = 1; j < count; j++) {
        uint64_t *theirs = mine + MOST * place(names, count, names[j]);

        for (int i = 0; i < acp_job_procs(acp_job_find(names[j])); i++)
            CHECK(theirs[i] == word(names[j], i), "process %d of %s has given %lu", i, names[j], theirs[i]);
    }
    printf("process %d of %s has met the others\n", me, names[0]);
}

/* publish stores the rank of the first process of this job under the name of the job, and checks the values of the
 * other jobs. */
static void publish(char **names, int count)
{
    int own = acp_job_find(names[0]);
    int64_t version = 0;

    if (process(own) == 0) {
        int rank = acp_rank();

        CHECK(acp_put_value(names[0], &rank, sizeof rank) == 1, "%s has a value already", names[0]);
    }
    for (int j = 0; j < count; j++) {
        int rank = -1;

        CHECK(acp_wait_value(names[j], 1, &rank, sizeof rank, &version) == sizeof rank && version == 1,
              "%s has a value of version %ld", names[j], (long)version);
        CHECK(rank == acp_job_rank(acp_job_find(names[j]), 0), "%s has put %d", names[j], rank);
    }
}

/* lead lets the first processes of all jobs wait for each other while all other processes wait for their job, and
 * sends them a word of the first process. */
static void lead(char **names, int count)
{
    int own = acp_job_find(names[0]), leaders[MOST], root = 0;
    uint64_t given = 0;

    for (int j = 0; j < count; j++) {
        leaders[j] = acp_job_rank(acp_job_find(names[j]), 0);
        if (place(names, count, names[j]) == 0)
            root = j;
    }
    if (process(own) == 0) {
        if (root == 0)
            given = word(names[0], 77);
        CHECK(acp_sync_ranks(leaders, count) == 0, "the first processes have not met");
        CHECK(acp_broadcast(&given, sizeof given, leaders[root], leaders, count) == 0, "acp_broadcast failed");
        CHECK(given == word(names[root], 77), "%s has given %lu", names[root], given);
    }
    CHECK(acp_sync_job(own) == 0, "acp_sync_job failed");
    CHECK(count == 1 || acp_sync_job(acp_job_find(names[1])) == -1, "this is a process of %s as well", names[1]);
}

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    if (argc == 1) {
        int own = acp_job(acp_rank());

        printf("process %d of %s, job %d of %d\n", process(own), acp_job_name(own), own, acp_jobs());
        end();
        return EXIT_SUCCESS;
    }
    int reset = strcmp(argv[1], "-reset") == 0;

    CHECK(acp_job_find("absent") == -1 && ACP_ERRNO == 0, "there is a job that is absent");
    if (reset)
        CHECK(acp_reset(acp_procs() - 1 - acp_rank()) == 0, "acp_reset failed");
    publish(argv + 1 + reset, argc - 1 - reset);
    lead(argv + 1 + reset, argc - 1 - reset);
    meet(argv + 1 + reset, argc - 1 - reset);
    end();
    return EXIT_SUCCESS;
}
