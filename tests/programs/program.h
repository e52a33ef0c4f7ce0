/*
 * The frame of the C programs beside it. Each of them is compiled as an ACP program
 * by acpcc, and with WITH_MPI defined as one of ACP and MPI by macpcc.
 */
#ifndef PROGRAM_H
#define PROGRAM_H

#ifdef WITH_MPI
#include <mpi.h>
#endif

#include <acp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* fail prints a message after the rank and ends the run. */
static inline void __attribute__((noreturn, format(printf, 3, 4))) fail(const char *file, int line, const char *format, ...)
{
    char text[512];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    fprintf(stderr, "rank %d: %s:%d: %s\n", acp_rank(), file, line, text);
    acp_abort("a check failed");
    abort();
}

/* CHECK ends the run with a message unless the condition holds. */
#define CHECK(condition, ...)                      \
    do {                                           \
        if (!(condition))                          \
            fail(__FILE__, __LINE__, __VA_ARGS__); \
    } while (0)

/* DONE checks that a GMA was issued, and waits for it. */
#define DONE(call)                                                       \
    do {                                                                 \
        acp_handle_t handle_ = (call);                                   \
        CHECK(handle_ != ACP_HANDLE_NULL, "%s was not issued", #call);   \
        acp_complete(handle_);                                           \
    } while (0)

static inline void sync_all(void) { CHECK(acp_sync() == 0, "acp_sync failed"); }

/* starter returns the starter memory of the caller. */
static inline void *starter(void)
{
    void *memory = acp_query_address(acp_query_starter_ga(acp_rank()));

    CHECK(memory != NULL, "starter memory has no address");
    return memory;
}

/* The starter memory of a rank that stops itself has a counter of the ranks that have left the last barrier. */
enum { LEFT_BARRIER = 64 };

/*
 * tell_left tells a rank that is about to stop itself that the caller has left the barrier. Only then can it stop: its
 * messages of the barrier may leave it after the barrier has ended for it.
 */
static inline void tell_left(int rank)
{
    acp_handle_t handle = acp_add4(acp_query_starter_ga(acp_rank()) + LEFT_BARRIER,
                                   acp_query_starter_ga(rank) + LEFT_BARRIER, 1, ACP_HANDLE_NULL);

    CHECK(handle != ACP_HANDLE_NULL, "acp_add4 failed");
}

/* stop_self stops the caller when all other ranks have told it that they have left the barrier. */
static inline void stop_self(void)
{
    volatile uint32_t *left = (volatile uint32_t *)((char *)starter() + LEFT_BARRIER);

    while ((int)*left < acp_procs() - 1)
        usleep(100);
    raise(SIGSTOP);
}

static inline void begin(int *argc, char ***argv)
{
#ifdef WITH_MPI
    MPI_Init(argc, argv);
#endif
    if (acp_init(argc, argv) != 0) {
        fprintf(stderr, "acp_init failed\n");
        exit(EXIT_FAILURE);
    }
}

static inline void end(void)
{
    CHECK(acp_finalize() == 0, "acp_finalize failed");
#ifdef WITH_MPI
    MPI_Finalize();
#endif
}

#endif
