/*
 * acp_couple.h - coupling: programs of a run exchange fields. Each value of a field goes directly
 * from the rank that has it to the ranks that need it.
 *
 * The ranks of each program declare a field: its name, the address of its values, and the points of
 * a common grid or mesh that the rank has. A link goes from a field of one program to a field of
 * another program. When it is opened, the ranks compute for each pair of ranks the values to send.
 *
 *     acp_model_t ocean = acp_create_model("ocean", NULL, 0);
 *     acp_field_t sst = acp_create_field_block(ocean, "sst", ACP_DOUBLE, 1, temperature, 2, sizes,
 *                                              firsts, extents, halos, 0);
 *     acp_link_t out = acp_open_link_to(sst, "atmosphere.surface", 1, 1, -1);
 *     for (int step = 0; step < steps; step++) {
 *         compute(temperature);
 *         acp_send_link(out, step);
 *     }
 *     acp_close_link(out);
 *
 * The atmosphere declares its field surface, opens the link by acp_open_link_from, and calls
 * acp_receive_link in each step. Programs in C, Fortran and Go can be coupled with each other.
 *
 * The functions are part of libacp and libmacp. Call them between acp_init and acp_finalize;
 * otherwise they fail with EPERM. They fail with ECONNRESET if another process has died. acp_reset
 * ends all links and makes all handles invalid.
 *
 * The last line of each comment gives the processes that may call the function, and whether it
 * blocks. Any thread may call any function, but only one thread at a time for one link or field.
 * docs/couple-c.md explains the functions with an example.
 *
 * A function that fails sets ACP_ERRNO, and acp_couple_message returns the reason as text.
 * ACP_ON_ERROR works as for the functions of acp.h. In addition to the numbers in acp.h:
 *
 *     EINVAL      a name, a list of ranks, points, a size or an option is wrong, ranks of one
 *                 model pass different arguments, or the fields of a link differ in the type
 *                 or number of values per point, or in the shapes of their grids
 *     EBADF       there is no such model, field, link, grid or other object, or not any more
 *     ENOENT      no rank of the sending side has a point that a receiver needs, or a model has
 *                 no such field
 *     EEXIST      a rank has a point twice, or two ranks of the sending side have the same
 *                 point
 *     ECANCELED   another rank could not open the link
 *     ETIMEDOUT   the time is over
 *     ERANGE      the steps of both sides do not match, or do not ascend
 *     EPIPE       the other side has closed the link, or has ended the publication of the field;
 *                 this is no failure for ACP_ON_ERROR
 */
#ifndef __ACP_COUPLE_H__
#define __ACP_COUPLE_H__

#include "acp.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Models and fields ------------------------------------------------- */

/* A program that takes part in coupling. Never ACP_MODEL_NULL. */
typedef struct goacp_model *acp_model_t;

/* The values that the ranks of a model have for their points. Never ACP_FIELD_NULL. */
typedef struct goacp_field *acp_field_t;

#define ACP_MODEL_NULL GOACP_POINTER_(acp_model_t, 0)
#define ACP_FIELD_NULL GOACP_POINTER_(acp_field_t, 0)

/* Types of values. */
#define ACP_INT8    1
#define ACP_INT16   2
#define ACP_INT32   3
#define ACP_INT64   4
#define ACP_UINT8   5
#define ACP_UINT16  6
#define ACP_UINT32  7
#define ACP_UINT64  8
#define ACP_FLOAT   9
#define ACP_DOUBLE  10
#define ACP_FLOAT_COMPLEX  11
#define ACP_DOUBLE_COMPLEX 12

/* Flag of blocks: the first subscript varies fastest, as in arrays of Fortran. */
#define ACP_ORDER_FORTRAN 1
/* Flag of blocks: the field also receives the points of the halo. */
#define ACP_FILL_HALO 2
/* Flag of blocks: links match points by number, also if the grids have different shapes. */
#define ACP_SAME_NUMBERS 4

/*
 * Makes the model that consists of count ranks, in this order. ranks may be NULL: then the model
 * consists of all ranks of the job of this process, and count is ignored. name may be NULL: then
 * the model has the name of that job. All ranks of the model pass the same arguments. A rank may be
 * in several models. A name has 1 to 200 bytes, without full stop and >.
 *
 * Returns the model, or ACP_MODEL_NULL: the name is wrong, a rank does not exist, occurs twice or
 * belongs to a program that cannot couple, or ranks does not contain this rank.
 *
 * Any process. Does not block. Addition of GoACP.
 */
acp_model_t acp_create_model(const char *name, const int *ranks, int count);

/*
 * Ends the declaration of fields of the model. From now on functions that declare a field fail with
 * EINVAL. If another model opens a link to a field that this model does not have, the link fails
 * with ENOENT, and the message names the fields of this model and the most similar name. Without
 * acp_seal_model such a link waits until a rank of this model ends. Each rank of the model calls
 * the function, after its last field.
 *
 * Returns 0, or -1 if there is no such model.
 *
 * Any process. Does not block. Addition of GoACP.
 */
int acp_seal_model(acp_model_t model);

/*
 * Frees the handle of a model. Its fields and links stay.
 *
 * Returns 0, or -1 if there is no such model.
 *
 * Any process. Does not block. Addition of GoACP.
 */
int acp_free_model(acp_model_t model);

/*
 * Declares a field of model, for which this rank has the values of ranges of points. Points have
 * numbers from 0, and both sides of a link use the same numbers. Range i begins at point firsts[i]
 * and has counts[i] points, for i in 0 ... ranges-1. A rank may have no ranges. It must not have a
 * point twice.
 *
 * data points to the values: for each point, in the order of the ranges, an array of values numbers
 * of type. type is one of ACP_INT8 ... ACP_DOUBLE_COMPLEX, and values is greater than 0. The
 * library reads and writes them there as long as the field has links. All ranks of the model pass
 * the same name, type and values. data may be NULL if this rank has no points.
 *
 * Returns the field, or ACP_FIELD_NULL for a wrong argument or a point that occurs twice.
 *
 * Any process. Does not block. Addition of GoACP.
 */
acp_field_t acp_create_field_ranges(acp_model_t model, const char *name, int type, int values,
                                    void *data, const int64_t *firsts, const int64_t *counts,
                                    int ranges);

/*
 * Declares a field of model, for which this rank has the values of a block of a grid. The arrays
 * have one entry for each of dims dimensions: sizes the number of points of the grid, firsts the
 * subscript of the first point of the block, from 0, extents the number of points of the block, and
 * halos the number of further points that the memory has on each side of the block. halos may be
 * NULL if there are no such points.
 *
 * Points are numbered in the order of C: the last subscript varies fastest. Memory has the same
 * order. With ACP_ORDER_FORTRAN in flags, the first subscript varies fastest in both. Links ignore
 * halos, except that with ACP_FILL_HALO in flags a field receives the points of its halo that are
 * in the grid. flags is the sum of flags, or 0.
 *
 * A link between blocks of grids of different shapes fails with EINVAL, unless it has weights, or
 * one side has ACP_SAME_NUMBERS in flags: then points with the same number match. Grids have the
 * same shape if their sizes are equal in order from the slowest dimension on, not counting sizes of
 * 1.
 *
 * Otherwise as acp_create_field_ranges.
 *
 * Any process. Does not block. Addition of GoACP.
 */
acp_field_t acp_create_field_block(acp_model_t model, const char *name, int type, int values,
                                   void *data, int dims, const int *sizes, const int *firsts,
                                   const int *extents, const int *halos, int flags);

/*
 * Declares a field of model, for which this rank has the values of count points in any order, such
 * as the cells of a mesh. data points to the values in the order of points. Otherwise as
 * acp_create_field_ranges.
 *
 * Any process. Does not block. Addition of GoACP.
 */
acp_field_t acp_create_field_list(acp_model_t model, const char *name, int type, int values,
                                  void *data, const int64_t *points, int64_t count);

/*
 * Masks points of a field, such as the land of an ocean. masks has count numbers: one for each point of
 * the memory at data, with a halo if there is one, in the order of the memory. 0 masks the point, and
 * any other number does not. The library reads the array only during the call. Each rank passes the
 * mask of its own points. On a rank that does not call the function, no points are masked. A second
 * call replaces the mask of the first. acp_use_field keeps the mask.
 *
 * A masked point takes no part in links. A sender does not send it, and its value may be anything,
 * also NaN or infinity: the terms of a matrix with a masked point are left out, on either side. A
 * receiver keeps the value of a point that either side masks. If all columns of a row of a matrix
 * are masked, the sum of the row is 0. The weights do not change: the rest of a row is not divided
 * by the sum of its weights.
 *
 * Returns 0, or -1 if there is no such field (EBADF), the memory has another number of points, or
 * the field has or had a link (EINVAL).
 *
 * Any process. Does not block. Addition of GoACP.
 */
int acp_mask_field(acp_field_t field, const int *masks, int64_t count);

/*
 * Sets the address of the values of a field to data, for example to the array of the next time
 * level. The memory has the same size and shape as before.
 *
 * Returns 0, or -1 if there is no such field, or data is NULL and the field has points.
 *
 * Any process. Does not block. Addition of GoACP.
 */
int acp_use_field(acp_field_t field, void *data);

/*
 * Frees the handle of a field. Open links of the field stay open, and use its memory until they are
 * closed. acp_open_links opens no links for it.
 *
 * Returns 0, or -1 if there is no such field.
 *
 * Any process. Does not block. Addition of GoACP.
 */
int acp_free_field(acp_field_t field);

/* ---- Links ------------------------------------------------------------- */

/* One side of a link between two fields. Never ACP_LINK_NULL. */
typedef struct goacp_link *acp_link_t;

#define ACP_LINK_NULL GOACP_POINTER_(acp_link_t, 0)

/*
 * Opens the link from field to the field called to, for example "atmosphere.surface". The ranks of
 * the other model call acp_open_link_from, in any order and at any time; all ranks wait for the
 * last. Two fields have at most one link at a time. Programs open their links in the same order, or
 * with acp_begin_link_to. A process that is in both models opens the two sides with
 * acp_begin_link_to and acp_begin_link_from, or in two threads. Links may be closed in any order.
 *
 * levels is the number of messages that a sender may be ahead of a receiver. The receiver has
 * memory for so many messages in its heap (docs/heap.md). With 0 the value of the other side is
 * used, or 1. If both sides pass a number, the greater is used.
 *
 * With every > 1, acp_send_link and acp_receive_link act only in steps that are multiples of every.
 * The i-th message of the sender is the i-th message of the receiver, from step 0 on: if every is n
 * for the sender and m for the receiver, step i*n of the sender matches step i*m of the receiver.
 * With 0 or 1 they act in each step. All ranks of one side pass the same levels and every.
 *
 * The call waits at most seconds; if seconds is negative, as long as the run goes on. After a
 * timeout the call may be repeated if it has timed out on all ranks of this side before the other
 * side has begun to open the link.
 *
 * Returns the link, or ACP_LINK_NULL (EINVAL, EBADF, ENOENT, EEXIST, ECANCELED, ENOMEM, ETIMEDOUT).
 * If it fails on one rank, other than by a timeout, it fails on all ranks of both models.
 *
 * Collective for the ranks of both models. Blocks until all have called it. Addition of GoACP.
 */
acp_link_t acp_open_link_to(acp_field_t field, const char *to, int levels, int every,
                            double seconds);

/*
 * Opens the link to field from the field called from, for example "ocean.sst". Otherwise as
 * acp_open_link_to.
 *
 * Collective for the ranks of both models. Blocks until all have called it. Addition of GoACP.
 */
acp_link_t acp_open_link_from(acp_field_t field, const char *from, int levels, int every,
                              double seconds);

/*
 * Opens the link to field from the field called from, with a matrix of weights: the two fields may
 * have different points. acp_receive_link sets each point that has a row to the sum over the row of
 * weight times value of the sending field. Other points keep their values. Entry i of the matrix is
 * in row rows[i] and column columns[i] and has the value weights[i], for i in 0 ... entries-1. Rows
 * are points of field that this rank has, including points of the halo with ACP_FILL_HALO. Columns
 * are points of the sending field. Entries may be in any order, and entries of the same row and
 * column add up. The library reads the arrays only during the call. Sums are computed in double
 * precision. With several values per point, the weights apply to each value.
 *
 * The fields have the same type, which is ACP_FLOAT, ACP_DOUBLE, ACP_FLOAT_COMPLEX or
 * ACP_DOUBLE_COMPLEX. The other model calls acp_open_link_to. Otherwise as acp_open_link_from. If
 * this rank does not have the point of a row, it fails with EINVAL, and the other ranks fail with
 * ECANCELED.
 *
 * Collective for the ranks of both models. Blocks until all have called it. Addition of GoACP.
 */
acp_link_t acp_open_link_weighted_from(acp_field_t field, const char *from, const int64_t *rows,
                                       const int64_t *columns, const double *weights,
                                       int64_t entries, int levels, int every, double seconds);

/*
 * Opens the link from field to the field called to, with a matrix of weights as in
 * acp_open_link_weighted_from. Here columns are points of field that this rank has, and rows are
 * points of the other field. In acp_send_link each rank computes for each row the sum of its own
 * entries, in the type of the field. The receivers add the sums of all ranks. Their points without
 * a row keep their values. If the other grid is coarser, this moves less data than
 * acp_open_link_weighted_from.
 *
 * The other model calls acp_open_link_from. If it calls acp_open_link_weighted_from, the values go
 * through both matrices. Otherwise as acp_open_link_to, except that ENOENT and EEXIST cannot
 * happen. If this rank does not have the point of a column, it fails with EINVAL, and the other
 * ranks fail with ECANCELED.
 *
 * Collective for the ranks of both models. Blocks until all have called it. Addition of GoACP.
 */
acp_link_t acp_open_link_weighted_to(acp_field_t field, const char *to, const int64_t *rows,
                                     const int64_t *columns, const double *weights, int64_t entries,
                                     int levels, int every, double seconds);

/*
 * Opens the link to field from the field called from, with the matrix of a file: a netCDF file of
 * SCRIP, CDO, ESMF_RegridWeightGen or YAC, or a Matrix Market file. The first bytes of the file
 * show its format. Rows are points of field, columns points of the sending field; both begin with 1
 * in the file, and with 0 in fields. Each rank reads the file, whose name is relative to its
 * present folder, and keeps the rows of its own points. Entries with a point that the file masks
 * are left out. The first rank of the model prints a warning if the file has other things that are
 * left out.
 *
 * Otherwise as acp_open_link_weighted_from. If the system cannot open the file, the call fails with
 * the error of the system, such as ENOENT. If the file has no matrix or a damaged one, it fails with
 * EINVAL. acp_couple_message names the file and what in it is wrong.
 *
 * Collective for the ranks of both models. Blocks until all have called it. Addition of GoACP.
 */
acp_link_t acp_open_link_file_from(acp_field_t field, const char *from, const char *file,
                                   int levels, int every, double seconds);

/*
 * Opens the link from field to the field called to, with the matrix of a file as in
 * acp_open_link_file_from. Here each rank keeps the columns of its own points. If no rank has the
 * point of a column, all ranks fail with EINVAL. Otherwise as acp_open_link_weighted_to.
 *
 * Collective for the ranks of both models. Blocks until all have called it. Addition of GoACP.
 */
acp_link_t acp_open_link_file_to(acp_field_t field, const char *to, const char *file, int levels,
                                 int every, double seconds);

/*
 * Begins to open a link as acp_open_link_to does, without a wait. acp_complete_links waits until it
 * is open; before that, the only other function that accepts the link is acp_close_link. Links that
 * have been begun open at the same time, so programs may open their links in different orders
 * without a deadlock. The other model may also call acp_open_link_from. The opening takes at most
 * seconds, counted from this call.
 *
 * Returns the link, or ACP_LINK_NULL (EINVAL, EBADF).
 *
 * Any process. Does not block. Addition of GoACP.
 */
acp_link_t acp_begin_link_to(acp_field_t field, const char *to, int levels, int every,
                             double seconds);

/*
 * Begins to open a link as acp_open_link_from does. Otherwise as acp_begin_link_to.
 *
 * Any process. Does not block. Addition of GoACP.
 */
acp_link_t acp_begin_link_from(acp_field_t field, const char *from, int levels, int every,
                               double seconds);

/*
 * Begins to open a link as acp_open_link_weighted_to does. The library reads the arrays only during
 * the call. Otherwise as acp_begin_link_to.
 *
 * Any process. Does not block. Addition of GoACP.
 */
acp_link_t acp_begin_link_weighted_to(acp_field_t field, const char *to, const int64_t *rows,
                                      const int64_t *columns, const double *weights,
                                      int64_t entries, int levels, int every, double seconds);

/*
 * Begins to open a link as acp_open_link_weighted_from does. The library reads the arrays only
 * during the call. Otherwise as acp_begin_link_to.
 *
 * Any process. Does not block. Addition of GoACP.
 */
acp_link_t acp_begin_link_weighted_from(acp_field_t field, const char *from, const int64_t *rows,
                                        const int64_t *columns, const double *weights,
                                        int64_t entries, int levels, int every, double seconds);

/*
 * Begins to open a link as acp_open_link_file_to does. Otherwise as acp_begin_link_to.
 *
 * Any process. Does not block. Addition of GoACP.
 */
acp_link_t acp_begin_link_file_to(acp_field_t field, const char *to, const char *file, int levels,
                                  int every, double seconds);

/*
 * Begins to open a link as acp_open_link_file_from does. Otherwise as acp_begin_link_to.
 *
 * Any process. Does not block. Addition of GoACP.
 */
acp_link_t acp_begin_link_file_from(acp_field_t field, const char *from, const char *file,
                                    int levels, int every, double seconds);

/*
 * Waits until count links that have been begun are open. If a link cannot be opened, this rank
 * gives up or closes the other links, and all handles become invalid. acp_couple_message names the
 * link that failed.
 *
 * Returns 0, or -1 if there is no such link (EBADF), a link occurs twice or has not been begun
 * (EINVAL), and as acp_open_link_to. If links or count are wrong, the links do not change.
 *
 * Collective for the ranks of both models. Blocks until all links are open. Addition of GoACP.
 */
int acp_complete_links(const acp_link_t *links, int count);

/*
 * Sends the values of this rank. Afterwards the program may change the values. The call does
 * nothing in steps that have no message. Steps are at least 0, and ascend. The call waits while a
 * receiver is as many messages behind as the link has levels. If large values go directly into the
 * array of a receiver on another host, the call lasts until they have arrived. On a link of
 * acp_publish_link_to it sends only if the watchers wait for a step, and never waits.
 *
 * Returns 0, or -1 if this is not the sending side of the link (EINVAL), the step is wrong
 * (ERANGE), or a receiver has closed the link (EPIPE). On failure it sends nothing.
 *
 * Any process. Blocks until the receivers have room. Addition of GoACP.
 */
int acp_send_link(acp_link_t link, int64_t step);

/*
 * Receives the values of a step for this rank. The call does nothing in steps that have no message.
 * If the values of the field lie in memory of acp_malloc of this rank, or in starter memory, the
 * senders on its host write them there directly while the call waits (docs/couple.md, "Cost").
 *
 * Returns 0, or -1 if this is not the receiving side of the link (EINVAL), the next message is of
 * another step (ERANGE), or a sender has closed the link and all its messages have been received
 * (EPIPE). On failure the values do not change.
 *
 * Any process. Blocks until the values of the step have arrived. Addition of GoACP.
 */
int acp_receive_link(acp_link_t link, int64_t step);

/*
 * Returns 0 if acp_send_link or acp_receive_link would not wait in the next step that has a
 * message, 1 if it would, and -1 if there is no such link or it is the watching side of a link.
 *
 * Any process. Does not block. Addition of GoACP.
 */
int acp_isready_link(acp_link_t link);

/*
 * Waits until acp_isready_link returns 0, at most seconds; if seconds is negative, as long as the
 * run goes on. Call it before acp_receive_link for a receive with a time limit.
 *
 * Returns 0 if the link is ready, 1 if the time is over, and -1 if there is no such link or it is
 * the watching side of a link.
 *
 * Any process. Blocks until the link is ready or the time is over. Addition of GoACP.
 */
int acp_wait_link(acp_link_t link, double seconds);

/*
 * Closes the link for this rank. Messages that have been sent still arrive. The other side may
 * receive them, and the call after the last fails with EPIPE. Afterwards the library does not use
 * the memory of the field. Links may be closed in any order, independently of the calls of the
 * other side. acp_finalize and acp_reset close all open links. The memory of the link in the heap
 * is freed when the partners of this rank have closed it, too: the ranks of the other side that
 * have points in common with this rank. In a model that watches, all ranks close the link. If the
 * link has been begun and is not open, it is given up.
 *
 * Returns 0, or -1 if there is no such link.
 *
 * Any process. Blocks until all sent messages have left this process. Addition of GoACP.
 */
int acp_close_link(acp_link_t link);

/* ---- Watched links ----------------------------------------------------- */

/*
 * Begins to publish field to the field called to, for example "viewer.picture", in steps that are
 * multiples of every; 0 and 1 mean each step. All ranks of the model publish. The other model may
 * watch at any time, and again after it has closed the link; this model never waits for it.
 * acp_send_link copies values only if the watchers have requested a step. Steps ascend, from 0 on.
 *
 * acp_close_link ends the publication and does not block. acp_finalize and acp_reset end all
 * publications. To publish a field to several other fields, call the function for each. To begin
 * a publication anew, call it again for the same fields and close the first link afterwards:
 * watchers of that get EPIPE, and later ones wait for the new publication. If the first link is
 * closed before the call, watchers that come in between get EPIPE.
 *
 * Returns the link, or ACP_LINK_NULL (EINVAL, EBADF).
 *
 * Any process. Does not block. Addition of GoACP.
 */
acp_link_t acp_publish_link_to(acp_field_t field, const char *to, int every);

/*
 * Opens the link to field from the field called from, for example "ocean.sst", which the other
 * model publishes. It waits until the other model publishes it, at most seconds; if seconds is
 * negative, as long as the run goes on. If it fails, the other model is not affected.
 *
 * Returns the link, or ACP_LINK_NULL (as acp_open_link_from, and EPIPE if a rank of the other model
 * has ended the publication).
 *
 * Collective for the ranks of the model. Blocks until the other model publishes. Addition of GoACP.
 */
acp_link_t acp_watch_link_from(acp_field_t field, const char *from, double seconds);

/*
 * acp_publish_link_to with a matrix as in acp_open_link_weighted_to.
 *
 * Returns the link, or ACP_LINK_NULL (EINVAL, EBADF).
 *
 * Any process. Does not block. Addition of GoACP.
 */
acp_link_t acp_publish_link_weighted_to(acp_field_t field, const char *to, const int64_t *rows,
                                        const int64_t *columns, const double *weights,
                                        int64_t entries, int every);

/*
 * acp_watch_link_from with a matrix as in acp_open_link_weighted_from.
 *
 * Returns the link, or ACP_LINK_NULL.
 *
 * Collective for the ranks of the model. Blocks until the other model publishes. Addition of GoACP.
 */
acp_link_t acp_watch_link_weighted_from(acp_field_t field, const char *from, const int64_t *rows,
                                        const int64_t *columns, const double *weights,
                                        int64_t entries, double seconds);

/*
 * acp_publish_link_to with the matrix of a file as in acp_open_link_file_to.
 *
 * Returns the link, or ACP_LINK_NULL (EINVAL, EBADF).
 *
 * Any process. Does not block, except to read the file. Addition of GoACP.
 */
acp_link_t acp_publish_link_file_to(acp_field_t field, const char *to, const char *file, int every);

/*
 * acp_watch_link_from with the matrix of a file as in acp_open_link_file_from.
 *
 * Returns the link, or ACP_LINK_NULL.
 *
 * Collective for the ranks of the model. Blocks until the other model publishes. Addition of GoACP.
 */
acp_link_t acp_watch_link_file_from(acp_field_t field, const char *from, const char *file,
                                    double seconds);

/*
 * Receives the values of the next possible step of the other model, and stores its number in *step;
 * step may be NULL. All ranks of the model receive the same step. The call waits at most seconds;
 * if seconds is negative, as long as the run goes on.
 *
 * Returns 0, 1 if the time is over, or -1 if this is not the watching side of a link (EINVAL), the
 * other model has ended the publication, or another rank has closed the link (EPIPE). Unless it
 * returns 0, the values do not change. After a timeout all ranks may call it again.
 *
 * Collective for the ranks of the model. Blocks until the values are there. Addition of GoACP.
 */
int acp_next_link(acp_link_t link, int64_t *step, double seconds);

/* ---- Links of the description ------------------------------------------ */

/*
 * The ends, in one model, of the links in the description of the run: the list couple of a YAML
 * description, the option -couple of the launchers, or ACP_COUPLE. Never ACP_LINKS_NULL.
 */
typedef struct goacp_links *acp_links_t;

#define ACP_LINKS_NULL GOACP_POINTER_(acp_links_t, 0)

/*
 * Seals the model and opens all links of the description of the run that begin or end at a field
 * declared with this handle of the model. The program does not contain the names of other models.
 * Links without this model are ignored. Without a description the result is a valid handle without
 * links.
 *
 * The call waits at most seconds; if seconds is negative, as long as the run goes on.
 *
 * Returns the links, or ACP_LINKS_NULL: ENOENT if the model has not declared a field of the
 * description, EINVAL for a malformed description, or as acp_open_link_to, acp_open_link_from and
 * acp_watch_link_from. On failure none of the links is open. The other models of the links also
 * call this function, or open their sides of the links one by one.
 *
 * Collective for the ranks of the model. Blocks until the other models open the links. Addition of GoACP.
 */
acp_links_t acp_open_links(acp_model_t model, double seconds);

/*
 * Sends the fields of all links that begin at the model and have a message in this step.
 *
 * Returns 0, or -1 as acp_send_link.
 *
 * Any process. Blocks until the receivers have room. Addition of GoACP.
 */
int acp_send_links(acp_links_t links, int64_t step);

/*
 * Receives the fields of all links that end at the model and have a message in this step. Watched
 * links are left out.
 *
 * Returns 0, or -1 as acp_receive_link.
 *
 * Any process. Blocks until the values of the step have arrived. Addition of GoACP.
 */
int acp_receive_links(acp_links_t links, int64_t step);

/*
 * Returns the watched link to a field of the model, for acp_next_link, or ACP_LINK_NULL if the
 * description has no such link (ENOENT) or links is not valid (EBADF). acp_close_links closes it.
 *
 * Any process. Does not block. Addition of GoACP.
 */
acp_link_t acp_query_watched_link(acp_links_t links, const char *field);

/*
 * Closes all of the links, including watched links, as acp_close_link does.
 *
 * Returns 0, or -1 if there are no such links.
 *
 * Any process. Blocks until all sent messages have left this process. Addition of GoACP.
 */
int acp_close_links(acp_links_t links);

/* ---- Operations in time ------------------------------------------------ */

/* How a sender reduces the values of several steps: to those of the last step, their sum, average, minimum or maximum. */
#define ACP_REDUCE_LAST    0
#define ACP_REDUCE_SUM     1
#define ACP_REDUCE_AVERAGE 2
#define ACP_REDUCE_MINIMUM 3
#define ACP_REDUCE_MAXIMUM 4

/* How receivers keep an integral: not at all, by a number that is added to all values, or by a factor. */
#define ACP_CONSERVE_NONE     0
#define ACP_CONSERVE_ADD      1
#define ACP_CONSERVE_MULTIPLY 2

/*
 * Lets each message of the link have the sum, average, minimum or maximum of the values in all steps
 * since the last message. reduction is one of ACP_REDUCE_LAST ... ACP_REDUCE_MAXIMUM. The program
 * calls acp_send_link in each step, also in those without a message. With a matrix on this side, the
 * values are reduced first. Sums are computed in double precision. All ranks of the model pass the
 * same.
 *
 * Returns 0, or -1 if there is no such link (EBADF), this is not the sending side, the field has
 * integers, complex values have no minimum or maximum, or a step has been sent (EINVAL).
 *
 * Any process. Does not block. Addition of GoACP.
 */
int acp_reduce_link(acp_link_t link, int reduction);

/*
 * Lets the values of step n count as those of step n + steps. So a step has a message if n + steps
 * is a multiple of every of the link. The first messages have the values of acp_initialize_link.
 * When a receiver has closed the link, acp_send_link still succeeds for as many messages as the lag
 * is: at the end of a run no step needs them any more, and acp_save_link keeps them.
 * All ranks of the model pass the same.
 *
 * Returns 0, or -1 if there is no such link (EBADF), this is not the sending side, the field has
 * integers, steps are negative or more messages than the link has levels, or a step has been sent
 * (EINVAL).
 *
 * Any process. Does not block. Addition of GoACP.
 */
int acp_lag_link(acp_link_t link, int steps);

/*
 * Sends the messages before that of the first step, which receivers need until the lag is over.
 * step is the first step that the program sends. file has the values of all points of the grid or
 * mesh in order of their numbers from 0 on, in the type of the field, little endian and without a
 * header. file may be NULL: then the messages have the present values of the field. Each rank calls
 * the function or acp_load_link before acp_send_link, if there is a lag.
 *
 * Returns 0, or -1 if there is no such link (EBADF), this is not the sending side, a step has been
 * sent, the file has another size (EINVAL), there is no such file (ENOENT) or it cannot be read, or as
 * acp_send_link.
 *
 * Any process. Does not block. Addition of GoACP.
 */
int acp_initialize_link(acp_link_t link, int64_t step, const char *file);

/*
 * Lets acp_receive_link compute the values of each step on the straight line between the messages
 * before and after it. So it acts in each step, and a step between two messages needs the later one.
 *
 * Returns 0, or -1 if there is no such link (EBADF), this is not the receiving side, the field has
 * integers, or a step has been received (EINVAL).
 *
 * Any process. Does not block. Addition of GoACP.
 */
int acp_interpolate_link(acp_link_t link);

/*
 * Multiplies the values by factor and adds offset, such as for another unit: at the sending side
 * before they are sent, and before a matrix there; at the receiving side after they have been received,
 * and after a matrix there. To complex values the offset is added as a real number.
 *
 * Returns 0, or -1 if there is no such link (EBADF), the field has integers, a number is not finite, or
 * a step has been sent or received (EINVAL).
 *
 * Any process. Does not block. Addition of GoACP.
 */
int acp_scale_link(acp_link_t link, double factor, double offset);

/*
 * Lets links of field that are opened afterwards keep the integral of the field, which weights may
 * change. The integral is the sum of the values times the areas of their points. Receivers correct
 * the values, so that the integral over all points that receive a value is that over all points of the
 * sending field that are not masked. method is ACP_CONSERVE_NONE, ACP_CONSERVE_ADD, or
 * ACP_CONSERVE_MULTIPLY, which adds if the integral of the received values is 0. areas has count
 * numbers: one for each point of the memory, with a halo if there is one. areas may be NULL: then
 * all areas are 1, and count is ignored. The library reads the array only during the call.
 *
 * Both fields of a link have the same method, otherwise it cannot be opened (EINVAL). All ranks of
 * the model call it. acp_receive_link then waits until all ranks of both sides have come to the
 * message. Points of halos that are filled count once for each rank.
 *
 * Returns 0, or -1 if there is no such field (EBADF), it has integers, the method is wrong, or the
 * memory has another number of points (EINVAL).
 *
 * Any process. Does not block. Addition of GoACP.
 */
int acp_conserve_field(acp_field_t field, int method, const double *areas, int64_t count);

/*
 * Writes the state of the operations in time of this rank to a file, between two steps: what has
 * been reduced since the last message, messages that receivers need when they have come as far as
 * this rank, and the messages between which a receiver interpolates. The name of the file is file, a
 * full stop and the number of the process in its model. An earlier file with that name is replaced
 * when the new one is whole.
 *
 * Returns 0, or -1 if there is no such link (EBADF), it has no operations in time (EINVAL), or the
 * file cannot be written (EIO, or as open).
 *
 * Any process. Does not block, apart from writing. Addition of GoACP.
 */
int acp_save_link(acp_link_t link, const char *file);

/*
 * Continues from the file that acp_save_link has written for this rank, and stores the last step
 * before it was written in *step; step may be NULL. The program has chosen the same operations as then,
 * and calls it before the first step, in place of acp_initialize_link. The model has the same ranks
 * and points.
 *
 * Returns 0, or -1 if there is no such link (EBADF) or file (ENOENT), the file is damaged or belongs
 * to another link, rank, grid, operation or version, or a step has been sent or received (EINVAL), or
 * as acp_send_link. acp_couple_message has what was found and what was expected.
 *
 * Any process. Does not block, apart from reading. Addition of GoACP.
 */
int acp_load_link(acp_link_t link, const char *file, int64_t *step);

/*
 * Writes the states of all links of the description that have operations in time to files in a
 * folder, as acp_save_link does. The names of the files have those of the link, the side and the
 * process.
 *
 * Returns 0, or -1 as acp_save_link.
 *
 * Any process. Does not block, apart from writing. Addition of GoACP.
 */
int acp_save_links(acp_links_t links, const char *folder);

/*
 * Continues from the files that acp_save_links has written to a folder, and stores the last step
 * before they were written in *step, or -1 if no link has operations in time; step may be NULL. The
 * program calls it before the first step. Otherwise links with a lag send their initial values in the
 * first call of acp_send_links or acp_receive_links.
 *
 * Returns 0, or -1 as acp_load_link, and if the files are not of one step (EINVAL).
 *
 * Any process. Does not block, apart from reading. Addition of GoACP.
 */
int acp_load_links(acp_links_t links, const char *folder, int64_t *step);

/* ---- Grids and weights ------------------------------------------------- */

/*
 * A grid: the coordinates of the points of a field, and perhaps the corners of their cells. Never
 * ACP_GRID_NULL.
 */
typedef struct goacp_grid *acp_grid_t;

/* A matrix of weights from one grid to another one. Never ACP_WEIGHTS_NULL. */
typedef struct goacp_weights *acp_weights_t;

#define ACP_GRID_NULL GOACP_POINTER_(acp_grid_t, 0)
#define ACP_WEIGHTS_NULL GOACP_POINTER_(acp_weights_t, 0)

/* Flag of grids: coordinates are x and y in any unit. Without it they are longitudes and latitudes, in degrees. */
#define ACP_PLANE 8

/* How weights are made: from the nearest points, from four points around, or from the areas of cells. */
#define ACP_REGRID_NEAREST      0
#define ACP_REGRID_BILINEAR     1
#define ACP_REGRID_CONSERVATIVE 2

/* Choice for ACP_REGRID_BILINEAR: points outside of all quadrilaterals take the nearest point. */
#define ACP_REGRID_FILL 1
/* Choice for ACP_REGRID_CONSERVATIVE: weights are divided by the area of the whole receiving cell. */
#define ACP_REGRID_CELL_AREA 1

/*
 * Makes a grid of points with the coordinates xs and ys. The arrays have one entry for each point, in
 * the order of the numbers of points. sizes has one entry for each of dims dimensions: the number of
 * points of the grid. With one dimension the grid has points without rows. flags is the sum of
 * ACP_ORDER_FORTRAN, if the first subscript varies fastest, and ACP_PLANE, or 0. The library
 * copies the arrays.
 *
 * Returns the grid, or ACP_GRID_NULL for a wrong argument (EINVAL, EFAULT). acp_make_weights checks
 * the coordinates.
 *
 * Any process. Does not block. Addition of GoACP.
 */
acp_grid_t acp_create_grid(const double *xs, const double *ys, int dims, const int *sizes, int flags);

/*
 * Returns the number of points of a grid, or -1 if there is no such grid (EBADF).
 *
 * Any process. Does not block. Addition of GoACP.
 */
int64_t acp_count_grid(acp_grid_t grid);

/*
 * Gives the cells of a grid their corners, for ACP_REGRID_CONSERVATIVE. The coordinates of the
 * corners of point i are the count entries of xs and ys from i times count on. They go round the
 * cell in either direction. A cell with fewer corners repeats one of them. The library copies the
 * arrays.
 *
 * Returns 0, or -1 if there is no such grid (EBADF), a cell has less than 3 corners (EINVAL), or an
 * array is NULL (EFAULT).
 *
 * Any process. Does not block. Addition of GoACP.
 */
int acp_set_grid_corners(acp_grid_t grid, const double *xs, const double *ys, int count);

/*
 * Masks points of a grid, which have no values. masks has count numbers, one for each point; 0 masks
 * the point, and other numbers do not. A second call replaces the mask of the first.
 *
 * Returns 0, or -1 if there is no such grid (EBADF), count is not the number of its points (EINVAL),
 * or masks is NULL (EFAULT).
 *
 * Any process. Does not block. Addition of GoACP.
 */
int acp_mask_grid(acp_grid_t grid, const int *masks, int64_t count);

/*
 * Frees a grid. Weights that were made from it stay.
 *
 * Returns 0, or -1 if there is no such grid (EBADF).
 *
 * Any process. Does not block. Addition of GoACP.
 */
int acp_free_grid(acp_grid_t grid);

/*
 * Makes the weights for links from a field on grid from to a field on grid to. method is one of
 * ACP_REGRID_NEAREST ... ACP_REGRID_CONSERVATIVE. choice is the number of points for
 * ACP_REGRID_NEAREST, where 0 stands for 1; ACP_REGRID_FILL or 0 for ACP_REGRID_BILINEAR, which
 * needs a sending grid of two dimensions; and ACP_REGRID_CELL_AREA or 0 for
 * ACP_REGRID_CONSERVATIVE, which needs the corners of both grids.
 *
 * points has the numbers of count points of grid to that get weights, each once, such as those that
 * this rank has. Numbers begin with 0. With a negative count, all points get weights, and points may
 * be NULL. A masked point gets none, and gives none. The call uses all processors of the process, and
 * sends no message.
 *
 * Returns the weights, or ACP_WEIGHTS_NULL if there is no such grid (EBADF), or for a wrong argument
 * or grid (EINVAL, EFAULT).
 *
 * Any process. Does not block, but computes. Addition of GoACP.
 */
acp_weights_t acp_make_weights(acp_grid_t from, acp_grid_t to, int method, int choice,
                               const int64_t *points, int64_t count);

/*
 * Returns the number of entries of the matrix, or -1 if there are no such weights (EBADF).
 *
 * Any process. Does not block. Addition of GoACP.
 */
int64_t acp_count_weights(acp_weights_t weights);

/*
 * Stores entry i of the matrix in rows[i], columns[i] and values[i], as acp_open_link_weighted_from and
 * acp_open_link_weighted_to get them: rows are points of the receiving field, and columns of the
 * sending one. Each array has room for acp_count_weights entries. Entries ascend by row, and in a row by
 * column.
 *
 * Returns 0, or -1 if there are no such weights (EBADF), or an array is NULL (EFAULT).
 *
 * Any process. Does not block. Addition of GoACP.
 */
int acp_query_weights(acp_weights_t weights, int64_t *rows, int64_t *columns, double *values);

/*
 * Frees weights.
 *
 * Returns 0, or -1 if there are no such weights (EBADF).
 *
 * Any process. Does not block. Addition of GoACP.
 */
int acp_free_weights(acp_weights_t weights);

/* ---- Implicit coupling ------------------------------------------------- */

/*
 * The iteration by which two models repeat each step until both agree on the values that they exchange.
 * One of them leads: it adds the fields that are iterated, and chooses measures and acceleration. Never
 * ACP_IMPLICIT_NULL.
 */
typedef struct goacp_implicit *acp_implicit_t;

#define ACP_IMPLICIT_NULL GOACP_POINTER_(acp_implicit_t, 0)

/* How the next values follow from the last ones: by a constant relaxation, that of Aitken, or IQN-ILS. */
#define ACP_METHOD_CONSTANT 0
#define ACP_METHOD_AITKEN   1
#define ACP_METHOD_IQN_ILS  2

/*
 * What decides whether a field has converged: the norm of the residual, the same divided by the norm of
 * the new values, or divided by that of the residual in the first iteration of the step.
 */
#define ACP_MEASURE_ABSOLUTE 0
#define ACP_MEASURE_RELATIVE 1
#define ACP_MEASURE_RESIDUAL 2

/*
 * Makes the iteration of model with the model called other, which makes it with the name of this one. leads
 * is 1 in one of both models and 0 in the other. All ranks of both models call it, before acp_seal_model and
 * acp_open_links.
 *
 * Returns the iteration, or ACP_IMPLICIT_NULL (EINVAL, EBADF).
 *
 * Any process. Does not block. Addition of GoACP.
 */
acp_implicit_t acp_create_implicit(acp_model_t model, const char *other, int leads);

/*
 * Adds a field that is iterated: data has count doubles of this rank, which may be 0. In each iteration the
 * model sends them, or what they stand for, and the iteration ends with new values in data. The array
 * stays until acp_free_implicit. All ranks of the leading model add the same fields in the same order.
 *
 * Returns 0, or -1 if there is no such iteration (EBADF), the model does not lead, the name has been added
 * or the first step has begun (EINVAL).
 *
 * Any process. Does not block. Addition of GoACP.
 */
int acp_add_implicit(acp_implicit_t implicit, const char *name, void *data, int64_t count);

/*
 * Adds a condition for the end of a step: the measure of the field called name, which is one of
 * ACP_MEASURE_ABSOLUTE ... ACP_MEASURE_RESIDUAL, is at most limit. All conditions have to hold. Norms are
 * Euclidean, over all values of all ranks. All ranks of the leading model pass the same.
 *
 * Returns 0, or -1 if there is no such iteration (EBADF), the model does not lead, there is no such field or
 * measure, the limit is not above 0 or the first step has begun (EINVAL).
 *
 * Any process. Does not block. Addition of GoACP.
 */
int acp_measure_implicit(acp_implicit_t implicit, const char *name, int measure, double limit);

/*
 * Chooses how the next values are computed, by one of ACP_METHOD_CONSTANT ... ACP_METHOD_IQN_ILS. relaxation
 * is the factor of the residual for the constant method, and in the first iteration of the others. reuse is
 * from how many earlier steps IQN-ILS uses columns, and columns how many it has at most; 0 means 20.
 * Without the call the method is IQN-ILS with a relaxation of 0.5 and no reuse. All ranks of the leading
 * model pass the same.
 *
 * Returns 0, or -1 if there is no such iteration (EBADF), the model does not lead, a number cannot be or the
 * first step has begun (EINVAL).
 *
 * Any process. Does not block. Addition of GoACP.
 */
int acp_accelerate_implicit(acp_implicit_t implicit, int method, double relaxation, int reuse,
                            int columns);

/*
 * Bounds the iterations of a step: after most of them the step is over without convergence. 0 means no
 * bound, as without the call. All ranks of the leading model pass the same.
 *
 * Returns 0, or -1 if there is no such iteration (EBADF), the model does not lead, most is negative or the
 * first step has begun (EINVAL).
 *
 * Any process. Does not block. Addition of GoACP.
 */
int acp_limit_implicit(acp_implicit_t implicit, int most);

/*
 * Adds memory of the program with which each iteration of a step begins: acp_begin_implicit saves it, and
 * acp_iterate_implicit restores it before the step is repeated. The memory stays until acp_free_implicit.
 *
 * Returns 0, or -1 if there is no such iteration (EBADF), bytes is negative or it is called within a step
 * (EINVAL).
 *
 * Any process. Does not block. Addition of GoACP.
 */
int acp_keep_implicit(acp_implicit_t implicit, void *data, int64_t bytes);

/*
 * Begins a step. The fields of the leading model have the values of the first iteration. Stores in *round
 * the number that acp_send_link and acp_receive_link of the links between both models get as their step:
 * it counts iterations over all steps. round may be NULL.
 *
 * Returns 0, or -1 if there is no such iteration (EBADF), a step is not over, the leading model has no field
 * or no measure (EINVAL), or as acp_complete_links. ETIMEDOUT means that the time of acp_set_timeout is over;
 * the program calls it again.
 *
 * Collective for the ranks of both models. Blocks in the first step until all have called it. Addition of GoACP.
 */
int acp_begin_implicit(acp_implicit_t implicit, int64_t *round);

/*
 * Ends an iteration. If the step is repeated, the fields of the leading model have the next values, the
 * memory of acp_keep_implicit is as at the beginning of the step, and *round has the next number; round may
 * be NULL. If the step is over, the fields have the values that the last iteration has computed.
 *
 * Returns 1 if the step is repeated, 0 if it is over, or -1 if there is no such iteration (EBADF), no step
 * has begun (EINVAL), values are NaN or infinite, on all ranks of both models (EDOM), or as acp_send_link
 * and acp_receive_link. ETIMEDOUT means that the time of acp_set_timeout is over: the program calls it again,
 * and does not change the fields before. After any other failure the iteration can only be freed.
 *
 * Collective for the ranks of both models. Blocks until all ranks of the leading model have called it. Addition of GoACP.
 */
int acp_iterate_implicit(acp_implicit_t implicit, int64_t *round);

/*
 * Stores in *count how many iterations the last step has had, and in *converged 1 if its measures are within
 * their limits, otherwise 0. Both may be NULL.
 *
 * Returns 0, or -1 if there is no such iteration (EBADF).
 *
 * Any process. Does not block. Addition of GoACP.
 */
int acp_query_implicit(acp_implicit_t implicit, int *count, int *converged);

/*
 * Ends the iteration, and the use of the memory that has been added to it. acp_finalize and acp_reset end
 * all of them.
 *
 * Returns 0, or -1 if there is no such iteration (EBADF).
 *
 * Any process. Blocks until all sent messages have left this process. Addition of GoACP.
 */
int acp_free_implicit(acp_implicit_t implicit);

/* ---- Inspection -------------------------------------------------------- */

/*
 * Stores how many seconds this rank has computed, and how many it has waited in calls of links of the
 * model, since the first link of this handle of the model was opened. Times without open links do not
 * count. Copying counts as computing. Waits of several threads are added up, to at most all of the time. A
 * thread that spins for some microseconds in C computes. computed and waited may be NULL.
 *
 * Returns 0, or -1 if there is no such model (EBADF).
 *
 * Any process. Does not block. Addition of GoACP.
 */
int acp_query_model_times(acp_model_t model, double *computed, double *waited);

/*
 * Stores in *count how many messages this rank has sent or received by the link, and how many seconds it has waited
 * in its calls. count and waited may be NULL.
 *
 * Returns 0, or -1 if there is no such link (EBADF), or it is that of acp_publish_link_to, which never
 * waits, or is not open yet (EINVAL).
 *
 * Any process. Does not block. Addition of GoACP.
 */
int acp_query_link_times(acp_link_t link, int64_t *count, double *waited);

/*
 * Writes the values of each message whose number every divides to a netCDF file from now on: at the
 * sending side those that are sent, before a matrix there; at the receiving side those that have been
 * received, after a matrix there. The name of the file is file, a full stop, the number of the process
 * in its model, and ".nc". It has the numbers of the points, and for each message the step of this side and
 * the values, as doubles. It can be read at any time. A rank without points has no file. Another call
 * begins another file. If a record cannot be written, acp_send_link or acp_receive_link fails after the
 * message has been transferred, and nothing is recorded any more.
 *
 * Returns 0, or -1 if there is no such link (EBADF), it is watched, the name is empty, every is less than
 * 1 (EINVAL), or the file cannot be created (ENOENT, or as open).
 *
 * Any process. Does not block, apart from writing. Addition of GoACP.
 */
int acp_record_link(acp_link_t link, const char *file, int every);

/* ---- Failures ---------------------------------------------------------- */

/*
 * Returns the reason of the last failure of a function of this header in this thread, with the
 * names of the link, the fields and the ranks. If no function has failed, the text is empty. The
 * text is valid until the next such failure.
 *
 * Any process. Does not block. Addition of GoACP.
 */
const char *acp_couple_message(void);

#ifdef __cplusplus
}
#endif

#endif
