// What the ocean and the air have in common: a row of columns, which is divided among the ranks of a model, and files with the
// values of a model for a restart.

#ifndef MODEL_H
#define MODEL_H

#include <acp.h>
#include <acp_couple.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 24, PER_STEP = 4 }; // PER_STEP: steps of the air in a step of the ocean

// Ends the run after an error of the library.
static inline void fail(const char *what)
{
    fprintf(stderr, "rank %d: %s: %s\n", acp_rank(), what, acp_couple_message());
    acp_abort("a model could not continue");
}

// Returns the number of columns of this rank, which begin with *first.
static inline int share(int *first)
{
    int job = acp_job(acp_rank()), ranks = acp_job_procs(job), mine = acp_rank() - acp_job_rank(job, 0);
    *first = COLUMNS * mine / ranks;
    return COLUMNS * (mine + 1) / ranks - *first;
}

// Declares a field of the columns of this rank.
static inline acp_field_t field(acp_model_t model, const char *name, double *values)
{
    int first;
    int64_t count = share(&first), from = first;
    acp_field_t f = acp_create_field_ranges(model, name, ACP_DOUBLE, 1, values, &from, &count, 1);
    if (f == ACP_FIELD_NULL)
        fail(name);
    return f;
}

// Reads or writes the values of a model itself, which are not part of the state of its links.
static inline void own_values(const char *folder, const char *model, double *values, int write)
{
    char name[1000];
    int first, count = share(&first);
    snprintf(name, sizeof name, "%s/%s.%d", folder, model, first);
    FILE *f = fopen(name, write ? "wb" : "rb");
    if (f == NULL || (int)(write ? fwrite(values, sizeof *values, (size_t)count, f) : fread(values, sizeof *values, (size_t)count, f)) != count ||
        fclose(f) != 0) {
        perror(name);
        acp_abort("a restart file of a model");
    }
}

#endif
