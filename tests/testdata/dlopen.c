/*
 * A host program that is not linked with any library of GoACP, like an interpreter. After main has begun it opens its
 * arguments by dlopen with RTLD_LOCAL, in this order; the argument "init" calls MPI_Init. The rest runs in the last
 * library other than MPI that it has opened.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void *mpi, *library;

static void end(const char *what)
{
    fprintf(stderr, "%s\n", what);
    exit(EXIT_FAILURE);
}

static void *function(void *in, const char *name)
{
    void *f = dlsym(in, name);

    if (f == NULL)
        end(dlerror());
    return f;
}

#define CALL(in, type, name, ...) ((type)function(in, #name))(__VA_ARGS__)
#define NEED(condition)                          \
    do {                                         \
        if (!(condition))                        \
            end("this does not hold: " #condition); \
    } while (0)

/* In a thread that has not failed yet: its message is empty, then that of its own failure. */
static void *fail_in_thread(void *before)
{
    const char *(*message)(void) = (const char *(*)(void))function(library, "acp_couple_message");

    NEED(*message() == 0);
    NEED(CALL(library, int (*)(uintptr_t), acp_close_link, 99) == -1);
    NEED(*message() != 0 && strcmp(message(), before) != 0);
    return NULL;
}

static volatile sig_atomic_t came, small;

static void on_alarm(int number)
{
    stack_t now;

    (void)number;
    if (sigaltstack(NULL, &now) != 0 || ((now.ss_flags & SS_ONSTACK) != 0 && now.ss_size < 256 << 10))
        small = 1;
    came = 1;
}

/* A signal to the process comes to a thread of the library, which has a large alternate stack. */
static void check_signal(void)
{
    const struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_ONSTACK | SA_RESTART};
    sigset_t blocked;

    sigemptyset(&blocked);
    sigaddset(&blocked, SIGALRM);
    NEED(pthread_sigmask(SIG_BLOCK, &blocked, NULL) == 0 && sigaction(SIGALRM, &action, NULL) == 0);
    for (int i = 0; i < 100; i++) {
        came = 0;
        NEED(kill(getpid(), SIGALRM) == 0);
        while (!came)
            usleep(100);
    }
    NEED(!small);
}

static void use_acp(void)
{
    const char *(*message)(void) = (const char *(*)(void))function(library, "acp_couple_message");

    NEED(CALL(library, int (*)(void *, void *), acp_init, NULL, NULL) == 0);
    int rank = CALL(library, int (*)(void), acp_rank), procs = CALL(library, int (*)(void), acp_procs);
    uint64_t (*starter)(int) = (uint64_t (*)(int))function(library, "acp_query_starter_ga");
    int *words = CALL(library, void *(*)(uint64_t), acp_query_address, starter(rank));

    words[0] = rank;
    uint64_t handle = CALL(library, uint64_t (*)(uint64_t, uint64_t, size_t, uint64_t), acp_copy,
                           starter((rank + 1) % procs) + 4, starter(rank), 4, 0);
    CALL(library, void (*)(uint64_t), acp_complete, handle);
    NEED(CALL(library, int (*)(void), acp_sync) == 0);
    NEED(words[1] == (rank + procs - 1) % procs);
    check_signal();

    NEED(*message() == 0);
    NEED(CALL(library, int (*)(uintptr_t), acp_free_model, 7) == -1);
    char *mine = strdup(message());
    NEED(*mine != 0);
    pthread_t thread;
    NEED(pthread_create(&thread, NULL, fail_in_thread, mine) == 0 && pthread_join(thread, NULL) == 0);
    NEED(strcmp(message(), mine) == 0);
    free(mine);
    printf("rank %d of %d\n", rank, procs);
    fflush(stdout);
    NEED(CALL(library, int (*)(void), acp_finalize) == 0);
}

static void use_gp(void)
{
    CALL(library, void (*)(void), GP_Initialize);
    int array = CALL(library, int (*)(void), GP_Create_handle), ten = 10;
    CALL(library, void (*)(int, int, int *), GP_Set_dimensions, array, 1, &ten);
    NEED(CALL(library, int (*)(int), GP_Allocate, array) != 0);
    CALL(library, int (*)(int), GP_Destroy, array);
    printf("rank %d of %d\n", CALL(library, int (*)(void), acp_rank), CALL(library, int (*)(void), acp_procs));
    fflush(stdout);
    CALL(library, void (*)(void), GP_Terminate);
}

static void use_armci(void)
{
    NEED(CALL(library, int (*)(void), ARMCI_Init) == 0);
    CALL(library, void (*)(void), ARMCI_Barrier);
    printf("rank %d of %d\n", CALL(library, int (*)(void), acp_rank), CALL(library, int (*)(void), acp_procs));
    fflush(stdout);
    CALL(library, void (*)(void), ARMCI_Finalize);
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "init") == 0) {
            NEED(CALL(mpi, int (*)(void *, void *), MPI_Init, NULL, NULL) == 0);
            continue;
        }
        void *opened = dlopen(argv[i], RTLD_NOW | RTLD_LOCAL);
        if (opened == NULL)
            end(dlerror());
        *(strstr(argv[i], "libmpi") != NULL ? &mpi : &library) = opened;
    }
    if (library != NULL)
        dlsym(library, "GP_Initialize") != NULL ? use_gp() : dlsym(library, "ARMCI_Init") != NULL ? use_armci() : use_acp();
    if (mpi != NULL)
        NEED(CALL(mpi, int (*)(void), MPI_Finalize) == 0);
    return 0;
}
