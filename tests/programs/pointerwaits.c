/*
 * Never ends: rank 0 computes, or changes its elements all the time, and all other ranks make calls for its elements
 * without end, or wait for it in a call that all ranks make, so that a test can kill rank 0. Each rank prints "rank R
 * pid P" when it is ready.
 *
 *     acprun -np 3 pointerwaits WAY
 */
#include "program.h"

#include <gp.h>

enum { SHORT = 8, LONG = 1, PLACES = SHORT + LONG, BYTES = 100, MANY = 1 << 20 };

static int array, size, sizes[PLACES], places[PLACES];
static int zero = 0, last = PLACES - 1, last_short = SHORT - 1, dims = 4 * PLACES;
static char buffer[SHORT * BYTES + MANY];
static void *pointers[PLACES];

static int bytes(int i) { return i < SHORT ? BYTES : MANY; }

/* Sets the address of the bytes of each place in the buffer. */
static void spread(void)
{
    for (int i = 0; i < PLACES; i++) {
        places[i] = i;
        sizes[i] = bytes(i);
        pointers[i] = &buffer[i * BYTES];
    }
}

/* Calls about the elements of rank 0. */
static void get_size(void) { GP_Get_size(array, &zero, &last, &size); }
static void get(void) { GP_Get(array, &zero, &last, buffer, pointers, NULL, sizes, NULL, &size, 0); }
static void get_short(void) { GP_Get(array, &zero, &last_short, buffer, pointers, NULL, sizes, NULL, &size, 0); }
static void get_to(void) { GP_Get(array, &zero, &last, NULL, pointers, NULL, sizes, NULL, &size, 1); }
static void put(void) { GP_Put(array, &zero, &last, pointers, NULL, sizes, NULL, &size, 1); }
static void put_short(void) { GP_Put(array, &zero, &last_short, pointers, NULL, sizes, NULL, &size, 0); }
static void gather_size(void) { GP_Gather_size(array, PLACES, places, &size); }
static void gather(void) { GP_Gather(array, PLACES, places, buffer, pointers, sizes, &size, 0); }
static void gather_to(void) { GP_Gather(array, PLACES, places, NULL, pointers, sizes, &size, 1); }
static void scatter(void) { GP_Scatter(array, PLACES, places, pointers, sizes, &size, 1); }

/* Calls of all ranks. */
static void allocate(void)
{
    int other = GP_Create_handle();
    GP_Set_dimensions(other, 1, &dims);
    GP_Allocate(other);
}

static void destroy(void) { GP_Destroy(array); }
static void memzero(void) { GP_Memzero(array); }

static const struct {
    const char *name;
    void (*call)(void);
} ways[] = {
    {"size", get_size},       {"get", get},         {"getshort", get_short}, {"getto", get_to},
    {"put", put},             {"putshort", put_short}, {"gathersize", gather_size}, {"gather", gather},
    {"gatherto", gather_to},  {"scatter", scatter}, {"records", get_size},   {"sync", GP_Sync},
    {"allocate", allocate},   {"destroy", destroy}, {"memzero", memzero},    {"terminate", GP_Terminate},
};

/* The elements of rank 0 come and go, so that it may die while it changes a record. */
static void change(void *memory)
{
    for (;;) {
        GP_Free_local_element(array, &zero);
        GP_Assign_local_element(array, &zero, memory, BYTES);
    }
}

int main(int argc, char **argv)
{
    void (*call)(void) = NULL, *first = NULL;

    begin(&argc, &argv);
    for (size_t i = 0; argc > 1 && i < sizeof ways / sizeof *ways; i++)
        if (strcmp(argv[1], ways[i].name) == 0)
            call = ways[i].call;
    CHECK(call != NULL, "which way?");
    GP_Initialize();
    array = GP_Create_handle();
    dims = PLACES * acp_procs();
    GP_Set_dimensions(array, 1, &dims);
    CHECK(GP_Allocate(array) == 1, "no room for the array");
    spread();
    for (int i = 0; acp_rank() == 0 && i < PLACES; i++) {
        void *memory = GP_Malloc((size_t)bytes(i));
        CHECK(memory != NULL, "no room for an element");
        GP_Assign_local_element(array, &i, memory, bytes(i));
        first = i == 0 ? memory : first;
    }
    GP_Sync();
    printf("rank %d pid %d\n", acp_rank(), (int)getpid());
    fflush(stdout);
    if (acp_rank() == 0 && strcmp(argv[1], "records") == 0)
        change(first);
    for (volatile long x = 0; acp_rank() == 0; x++)
        continue;
    for (;;)
        call();
}
