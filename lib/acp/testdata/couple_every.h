// What the files of the program share that calls every function of acp_couple.h: two ranks, of which each
// is a model. Rank 0 sends, rank 1 receives. They compile as C and as C++.

#ifndef COUPLE_EVERY_H
#define COUPLE_EVERY_H

#include "check.h"
#include <acp_couple.h>

extern int me;
extern acp_model_t model;

// Checks that a call fails, and with which number and text.
#define SAYS(call, failure, number, text)                                      \
  do {                                                                         \
    FAILS(call, failure, number);                                              \
    if (strstr(acp_couple_message(), text) == NULL) {                          \
      fprintf(stderr, "%d: %s\n", __LINE__, acp_couple_message());             \
      _exit(1);                                                                \
    }                                                                          \
  } while (0)

// Opens the link between the fields f of both models.
acp_link_t opened(acp_field_t f, int levels, int every);

// Sends or receives the values of a step.
int moved(acp_link_t link, int64_t step);

// Returns the name of a file in the folder of the test. It is valid until the next call but one.
const char *file_of(const char *name);

// Links with matrices, from arrays and from files.
void check_weights(void);

// Grids, and weights that are made from them.
void check_grids(void);

// Links with operations in time, and links that keep integrals.
void check_times(void);

// Steps that are repeated until both ranks agree.
void check_implicit(void);

// How long models and links wait, and files with what links move.
void check_inspection(void);

// Links that are published and watched, and the links of a description.
void check_watches(void);

#endif
