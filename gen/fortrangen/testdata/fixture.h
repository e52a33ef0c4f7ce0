/*
 * A header with all that the program has a rule for.
 */
#ifndef FIXTURE_H
#define FIXTURE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A number. */
typedef uint64_t acp_id_t;

typedef struct {
    acp_id_t id;     /* with a comment */
    double   weight; /* and; another */
    void    *data;
} acp_item_t;

#define ACP_ID_NULL 0LLU
#define ACP_ID_LAST 0xfffffffffffffffeLLU /* a large one */
#define ACP_MANY    12
#define ACP_GREETING "it's me"

extern int ACP_ERRNO;

/* ---- Start --------------------------------------------------------------- */

/* argc and argv may be NULL. */
int acp_init(int *argc, char ***argv);

/* ---- Boxes ---------------------------------------------------------------- */

typedef struct box *acp_box_t;

#define ACP_BOX_NULL GOACP_POINTER_(acp_box_t, 0)
#define ACP_BOX_NONE GOACP_POINTER_(acp_box_t, -1)

/* A struct by value, in and out. */
acp_item_t acp_twice_item(const acp_item_t item, float factor);

/* The same for another type. */
acp_box_t acp_twice_box(acp_box_t box);

/*
 * Adds values. weights may
 * be NULL.
 */
double acp_sum(const double *values, int count, const double *weights);

/* Several results: *size is one, values are many. */
void acp_results(size_t *size, int32_t values[], volatile acp_id_t id);

/* Calls compare. */
int acp_larger(int (*compare)(const acp_item_t item1, const acp_item_t item2), const acp_item_t *items);

/* Strings: length of one, and of note (may be NULL) at size unless that is NULL. */
int acp_length(const char *name, int many, const char *note, size_t *size);

/* Returns a string, or NULL if there is none. */
const char *acp_name_of(int number);

/* Writes a string. */
void acp_spell(char *text, size_t size);

/* An address without a type, and the bytes that lie there. */
acp_box_t acp_put_box(const char *name, const void *data, size_t size, size_t times);
int acp_watch(void *data);

/* Numbers of 8 bytes, and arrays of them: factor times the sum of rows times columns. */
double acp_weigh(const int64_t *rows, const int64_t *columns, int64_t entries, double factor);

/* Without a result, with a string: a word with a value. */
void acp_note(const char *word, uint64_t value, int *total);

/* With two arguments, or with one by the macro. */
int acp_pick(int a, int b);
int goacp_pick_one(acp_box_t a);

#define GOACP_PICK3_(a, b, f, ...) f
#define acp_pick(...) \
    GOACP_PICK3_(__VA_ARGS__, acp_pick, goacp_pick_one, )(__VA_ARGS__)

/* ---- Generic macros ------------------------------------------------------ */

#define acp_twice(type, ...)   acp_twice_##type(__VA_ARGS__)
#define acp_nothing(type, ...) acp_nothing_##type(__VA_ARGS__)

#ifdef __cplusplus
}
#endif

#endif
