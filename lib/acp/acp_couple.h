/*
 * acp_couple.h - coupling: fields of programs go from the ranks that have their values to
 * the ranks that want them.
 *
 * The ranks of each program declare a field: a name, where its values lie, and which points
 * of a common grid or mesh each of them has. A link goes from a field of one program to a
 * field of another one. Opening it finds out which values go from which rank to which.
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
 * acp_receive_link in each step. Programs in C, Fortran and Go may be coupled with each other.
 *
 * The functions are part of libacp and libmacp. Call them between acp_init and acp_finalize. All
 * fail with EPERM otherwise, and with ECONNRESET if another process has died. acp_reset ends
 * all links and makes all handles invalid.
 *
 * The last line of each comment says which processes call the function, and whether it blocks.
 * Any thread may call any function, but only one thread at a time for one link or field.
 * docs/couple-c.md explains the functions at an example.
 *
 * A function that fails sets ACP_ERRNO, and acp_couple_message has the reason as text.
 * ACP_ON_ERROR works as for the functions of acp.h. Besides the numbers that acp.h lists:
 *
 *     EINVAL      a name, a list of ranks, points, a size or an option cannot be, ranks of one
 *                 model differ in what they give, or the fields of a link differ in the type or
 *                 number of values per point, or in the shapes of their grids
 *     EBADF       there is no such model, field or link, or not any more
 *     ENOENT      no rank of the sending side has a point that a receiver wants, or a model has no
 *                 such field
 *     EEXIST      a rank has a point twice, or two ranks of the sending side have the same one
 *     ECANCELED   another rank could not open the link
 *     ETIMEDOUT   the time is over
 *     ERANGE      the steps of both sides do not belong together, or do not ascend
 *     EPIPE       the other side has closed the link, or publishes the field no more; this is no
 *                 failure for ACP_ON_ERROR
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

/* What the ranks of a model have for points: some values each. Never ACP_FIELD_NULL. */
typedef struct goacp_field *acp_field_t;

#define ACP_MODEL_NULL ((acp_model_t)0)
#define ACP_FIELD_NULL ((acp_field_t)0)

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

/* Of blocks: the first subscript varies fastest, as in arrays of Fortran. */
#define ACP_ORDER_FORTRAN 1
/* Of blocks: a field that receives gets the points of the halo, too. */
#define ACP_FILL_HALO 2
/* Of blocks: links go by the numbers of points, also to blocks of grids of another shape. */
#define ACP_SAME_NUMBERS 4

/*
 * Makes the model that consists of count ranks, in this order. ranks may be NULL: then the
 * model consists of all ranks of the job of this process, and count is ignored. name may be
 * NULL: then the model has the name of that job. All ranks of the model give the same. A rank
 * may be in several models. A name has 1 to 200 bytes, and no full stop or > among them.
 *
 * Returns the model, or ACP_MODEL_NULL for a bad name, and for ranks that do not exist, are given
 * twice, are without this one, or belong to programs that cannot couple.
 *
 * Any process. Does not block. Addition of GoACP.
 */
acp_model_t acp_create_model(const char *name, const int *ranks, int count);

/*
 * Says that the model declares no more fields: functions that declare one fail with EINVAL from now
 * on, and links that other models open to fields that it does not have fail with ENOENT. The message
 * names the fields that it has, and the one whose name is most alike. Otherwise such links wait until
 * a rank of the model ends. Each rank of the model calls the function, after its last field.
 *
 * Returns 0, or -1 if there is no such model.
 *
 * Any process. Does not block. Addition of GoACP.
 */
int acp_seal_model(acp_model_t model);

/*
 * Gives the handle of a model back. Its fields and links stay.
 *
 * Returns 0, or -1 if there is no such model.
 *
 * Any process. Does not block. Addition of GoACP.
 */
int acp_free_model(acp_model_t model);

/*
 * Declares a field of model: this rank has the values of ranges of points. Points have numbers
 * from 0, and both sides of a link use the same numbers. The range i begins at point
 * firsts[i] and has counts[i] points, for i in 0 ... ranges-1. A rank may have none, and has no
 * point twice.
 *
 * The values lie at data: for each point in the order of the ranges values numbers of type, one
 * of ACP_INT8 ... ACP_DOUBLE_COMPLEX. values is greater than 0. The library reads and writes them
 * there as long as the field has links. All ranks of the model give the same name, type and
 * values. data may be NULL if this rank has no points.
 *
 * Returns the field, or ACP_FIELD_NULL for a wrong argument or a point that is given twice.
 *
 * Any process. Does not block. Addition of GoACP.
 */
acp_field_t acp_create_field_ranges(acp_model_t model, const char *name, int type, int values,
                                    void *data, const int64_t *firsts, const int64_t *counts,
                                    int ranges);

/*
 * Declares a field of model: this rank has the values of a block of a grid. sizes has how many
 * points the grid has in each of dims dimensions, firsts the subscripts of the first point of the
 * block, from 0, and extents the points of the block. halos has how many points the memory has
 * besides on each side in each dimension, and halos may be NULL if that is none.
 *
 * The number of a point is its place in the grid, in the order of C: the last subscript varies
 * fastest. Memory has the same order. With ACP_ORDER_FORTRAN in flags the first subscript varies
 * fastest in both. A halo takes part only in receiving, and only with ACP_FILL_HALO in
 * flags, as far as it is in the grid. flags is the sum of those that hold, or 0.
 *
 * A link between blocks of grids of different shapes fails with EINVAL, unless it has weights, or
 * ACP_SAME_NUMBERS in flags on one side says that points with the same numbers belong together. Grids
 * have the same shape if their sizes are equal from the dimension that varies slowest on, without those
 * that are 1.
 *
 * Otherwise as acp_create_field_ranges.
 *
 * Any process. Does not block. Addition of GoACP.
 */
acp_field_t acp_create_field_block(acp_model_t model, const char *name, int type, int values,
                                   void *data, int dims, const int *sizes, const int *firsts,
                                   const int *extents, const int *halos, int flags);

/*
 * Declares a field of model: this rank has the values of count points in any order, such as the
 * cells of a mesh. They lie at data in the order of points. Otherwise as
 * acp_create_field_ranges.
 *
 * Any process. Does not block. Addition of GoACP.
 */
acp_field_t acp_create_field_list(acp_model_t model, const char *name, int type, int values,
                                  void *data, const int64_t *points, int64_t count);

/*
 * Masks points of a field, such as the land of an ocean. masks has count numbers: one for each point of
 * the memory at data, with a halo if there is one, in the order of the memory. 0 masks the point, and
 * any other number does not. The array is read in the call alone. Each rank gives the mask of its own
 * points; a rank that does not has none that are masked. A second call replaces the mask of the first
 * one. acp_use_field keeps it.
 *
 * A masked point takes no part in links. A sender does not send it, and it may have any value, also NaN
 * or infinity: terms of weights that have it are nothing, on either side. A receiver keeps the value of
 * a masked point, and so it does if the sender masks the point. A row of weights all of whose columns
 * are masked is 0. Weights are taken as they are: what is left of a row is not divided by the sum of
 * its weights.
 *
 * Returns 0, or -1 if there is no such field (EBADF), the memory has another number of points, or there
 * has been a link of the field (EINVAL).
 *
 * Any process. Does not block. Addition of GoACP.
 */
int acp_mask_field(acp_field_t field, const int *masks, int64_t count);

/*
 * Lets a field have its values at data from now on, for example in the array of the next time
 * level. The memory has the same size and shape as before.
 *
 * Returns 0, or -1 if there is no such field, or data is NULL and the field has points.
 *
 * Any process. Does not block. Addition of GoACP.
 */
int acp_use_field(acp_field_t field, void *data);

/*
 * Gives the handle of a field back. Links of the field go on and use its memory until they are
 * closed. acp_open_links opens none for it.
 *
 * Returns 0, or -1 if there is no such field.
 *
 * Any process. Does not block. Addition of GoACP.
 */
int acp_free_field(acp_field_t field);

/* ---- Links ------------------------------------------------------------- */

/* One side of a link between two fields. Never ACP_LINK_NULL. */
typedef struct goacp_link *acp_link_t;

#define ACP_LINK_NULL ((acp_link_t)0)

/*
 * Opens the link from field to the field called to, for example "atmosphere.surface". The ranks of
 * the other model call acp_open_link_from, in any order and at any time: the first ones wait for
 * the last. Two fields have one link at a time. Programs open their links in the same order, or by
 * acp_begin_link_to. A process that is in both models opens the two sides by acp_begin_link_to and
 * acp_begin_link_from, or in two threads. Links are closed in any order.
 *
 * levels is how many messages a sender may be ahead of a receiver, which has memory for so many
 * in its heap (docs/heap.md). 0: as the other side says, or 1. If both sides say a number,
 * the greater one counts.
 *
 * With every > 1, acp_send_link and acp_receive_link act only in the steps that every
 * divides. The messages of both sides belong together in their order from step 0 on: with n on the
 * sending and m on the receiving side, step i*n meets step i*m. 0 and 1: in each step. All ranks
 * of one side give the same levels and every.
 *
 * seconds is how long the call waits at most. Negative: as long as the run goes on. A call whose
 * time is over may be repeated if that happens on all ranks of a side before the other side comes.
 *
 * Returns the link, or ACP_LINK_NULL (EINVAL, EBADF, ENOENT, EEXIST, ECANCELED, ENOMEM, ETIMEDOUT). If it fails on one rank, and not because of its time, it fails on all ranks of both
 * models.
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
 * Opens the link to field from the field called from, whose points need not be those of field. In
 * acp_receive_link each point that has a row gets the sum over the row: the values of the sending
 * field times their weights. Other points stay as they are. The entry i of the matrix is in row
 * rows[i] and column columns[i] and has the value weights[i], for i in 0 ... entries-1. Rows are
 * points of field that this rank has, those of the halo with ACP_FILL_HALO; columns are points of
 * the sending field. The order does not matter, and entries of the same row and column add up. The
 * arrays are read in the call alone. Sums are made in double precision. With several values per point
 * the weights apply to each of them.
 *
 * The fields have the same type, which is ACP_FLOAT, ACP_DOUBLE, ACP_FLOAT_COMPLEX or
 * ACP_DOUBLE_COMPLEX. The other model calls acp_open_link_to. Otherwise as acp_open_link_from. If
 * this rank does not have a point that has a row, it fails with EINVAL and the others with ECANCELED.
 *
 * Collective for the ranks of both models. Blocks until all have called it. Addition of GoACP.
 */
acp_link_t acp_open_link_weighted_from(acp_field_t field, const char *from, const int64_t *rows,
                                       const int64_t *columns, const double *weights,
                                       int64_t entries, int levels, int every, double seconds);

/*
 * Opens the link from field to the field called to, whose points need not be those of field, with the
 * entries of a matrix as acp_open_link_weighted_from has them. Here columns are points of field that
 * this rank has, and rows are points of the other field. In acp_send_link the rank computes for each
 * row the sum of its own entries, in the type of the field. The receivers add the sums of all ranks.
 * Their points without a row stay as they are. So less is moved if the other grid is coarser.
 *
 * The other model calls acp_open_link_from. If it calls acp_open_link_weighted_from, the values go
 * through both matrices. Otherwise as acp_open_link_to, except that ENOENT and EEXIST cannot happen. If
 * this rank does not have a point that is a column, it fails with EINVAL and the others with ECANCELED.
 *
 * Collective for the ranks of both models. Blocks until all have called it. Addition of GoACP.
 */
acp_link_t acp_open_link_weighted_to(acp_field_t field, const char *to, const int64_t *rows,
                                     const int64_t *columns, const double *weights, int64_t entries,
                                     int levels, int every, double seconds);

/*
 * Begins to open a link as acp_open_link_to does, without a wait. acp_complete_links waits until it is
 * open, and no other function but acp_close_link takes it before. A program that begins all of its
 * links does not wait for another one for ever, whatever the order in which either opens them: the
 * links are opened at the same time. The other model may call acp_open_link_from all the same.
 * seconds is how long the opening takes at most, beginning with this call.
 *
 * Returns the link, or ACP_LINK_NULL (EINVAL, EBADF).
 *
 * Any process. Does not block. Addition of GoACP.
 */
acp_link_t acp_begin_link_to(acp_field_t field, const char *to, int levels, int every,
                             double seconds);

/*
 * acp_begin_link_to for acp_open_link_from.
 *
 * Any process. Does not block. Addition of GoACP.
 */
acp_link_t acp_begin_link_from(acp_field_t field, const char *from, int levels, int every,
                               double seconds);

/*
 * acp_begin_link_to for acp_open_link_weighted_to. The arrays are read in the call alone.
 *
 * Any process. Does not block. Addition of GoACP.
 */
acp_link_t acp_begin_link_weighted_to(acp_field_t field, const char *to, const int64_t *rows,
                                      const int64_t *columns, const double *weights,
                                      int64_t entries, int levels, int every, double seconds);

/*
 * acp_begin_link_to for acp_open_link_weighted_from. The arrays are read in the call alone.
 *
 * Any process. Does not block. Addition of GoACP.
 */
acp_link_t acp_begin_link_weighted_from(acp_field_t field, const char *from, const int64_t *rows,
                                        const int64_t *columns, const double *weights,
                                        int64_t entries, int levels, int every, double seconds);

/*
 * Waits until count links are open that have been begun. If one of them cannot be opened, this rank
 * has none of them: the others are given up or closed, and all
 * handles become invalid. acp_couple_message names the link.
 *
 * Returns 0, or -1 if there is no such link (EBADF), a link is there twice or has not been begun
 * (EINVAL), and as acp_open_link_to. If links or count are wrong, nothing happens to the links.
 *
 * Collective for the ranks of both models. Blocks until all links are open. Addition of GoACP.
 */
int acp_complete_links(const acp_link_t *links, int count);

/*
 * Sends the values of this rank, which the program may change afterwards. Does nothing in steps
 * that have no message. Steps are at least 0, and ascend. The call waits while a receiver is as
 * many messages behind as the link has levels. If large values go straight into the array of a
 * receiver on another host, the call lasts until they have arrived. By a link of
 * acp_publish_link_to it sends only if the watchers wait for a step, and never waits.
 *
 * Returns 0, or -1 if the link is not one to send by (EINVAL), the step is wrong (ERANGE), or a
 * receiver has closed the link (EPIPE): then nothing has been sent.
 *
 * Any process. Blocks until the receivers have room. Addition of GoACP.
 */
int acp_send_link(acp_link_t link, int64_t step);

/*
 * Receives the values of a step for this rank. Does nothing in steps that have no message. Values
 * of the field that lie in memory of acp_malloc of this rank, or in starter memory, are written by
 * the senders of its host while the call waits for them (docs/couple.md, "Cost").
 *
 * Returns 0, or -1 if the link is not one to receive by (EINVAL), the next message is of another
 * step (ERANGE), or a sender has closed the link and all that it sent has been received (EPIPE):
 * then the values are as before.
 *
 * Any process. Blocks until the values of the step have come. Addition of GoACP.
 */
int acp_receive_link(acp_link_t link, int64_t step);

/*
 * Returns 0 if acp_send_link or acp_receive_link would not wait in the next step that has a
 * message, 1 if it would, and -1 if there is no such link or it is one to watch by.
 *
 * Any process. Does not block. Addition of GoACP.
 */
int acp_isready_link(acp_link_t link);

/*
 * Waits until acp_isready_link returns 0, but not longer than some seconds. Negative: as long as the
 * run goes on. With this call before it, acp_receive_link has a time limit.
 *
 * Returns 0 if the link is ready, 1 if the time is over, and -1 if there is no such link or it is
 * one to watch by.
 *
 * Any process. Blocks until the link is ready or the time is over. Addition of GoACP.
 */
int acp_wait_link(acp_link_t link, double seconds);

/*
 * Says that this rank uses the link no more. What has been sent arrives. The other side may receive
 * that, and gets EPIPE from the next call. The memory of the field is the program's afterwards. Links
 * are closed in any order, whatever the other sides call. acp_finalize and acp_reset close what is
 * open. The memory of the link in the heap is given back when its partners have closed it, too: the
 * ranks of the other side that have points in common with this one. All ranks of a model that watches
 * close the link. A link that has been begun and is not open is given up.
 *
 * Returns 0, or -1 if there is no such link.
 *
 * Any process. Blocks until what has been sent has left this process. Addition of GoACP.
 */
int acp_close_link(acp_link_t link);

/* ---- Watched links ----------------------------------------------------- */

/*
 * Begins to publish field to the field called to, for example "viewer.picture", in the steps that
 * every divides; 0 and 1 mean all. All ranks of the model publish. The other model watches when it
 * wants to, and again after it has closed the link; this model never waits for it. acp_send_link
 * copies values only if the watchers have asked for a step. Steps ascend, from 0 on.
 *
 * acp_close_link ends the publication and does not block. acp_finalize and acp_reset end all. If the
 * field is to be published to several others, the function is called for each. A second call for the
 * same fields begins the publication anew when the first link is closed: watchers that come between
 * both wait for the second one.
 *
 * Returns the link, or ACP_LINK_NULL (EINVAL, EBADF).
 *
 * Any process. Does not block. Addition of GoACP.
 */
acp_link_t acp_publish_link_to(acp_field_t field, const char *to, int every);

/*
 * Opens the link to field from the field called from, for example "ocean.sst", which the other model
 * publishes. It waits until the other model publishes it, and at most some seconds. Negative: as long
 * as the run goes on. Mistakes concern the watchers alone: the other model goes on.
 *
 * Returns the link, or ACP_LINK_NULL (as acp_open_link_from, and EPIPE if a rank of the other model
 * publishes the field no more).
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
 * Gets the values of a step that the other model comes to from now on. *step is its number, and step
 * may be NULL. All ranks of the model get the same step. seconds is how long the call waits at most,
 * and negative means as long as the run goes on.
 *
 * Returns 0, 1 if the time is over, or -1 if the link is not one to watch by (EINVAL), the other model
 * publishes the field no more, or another rank has closed the link (EPIPE). Unless it returns 0, the
 * values are as before. When the time is over, all ranks may call it again.
 *
 * Collective for the ranks of the model. Blocks until the values are there. Addition of GoACP.
 */
int acp_next_link(acp_link_t link, int64_t *step, double seconds);

/* ---- Links of the description ------------------------------------------ */

/*
 * The ends of a model of the links that the description of the run lists: the list couple of a YAML
 * description, the option -couple of the launchers, or ACP_COUPLE. Never ACP_LINKS_NULL.
 */
typedef struct goacp_links *acp_links_t;

#define ACP_LINKS_NULL ((acp_links_t)0)

/*
 * Seals the model and opens the links that the description of the run has for its fields, those that
 * have been declared by this handle of the model. So the program need not know the names of other
 * models. Links without this model are left out. Without a description there are no links, and the
 * handle is valid.
 *
 * seconds is how long the call waits at most. Negative: as long as the run goes on.
 *
 * Returns the links, or ACP_LINKS_NULL: ENOENT if the model has not declared a field of the
 * description, EINVAL for a description that cannot be read, or as acp_open_link_to, acp_open_link_from
 * and acp_watch_link_from. Then the model has none of the links. The models that it has links with call
 * the function as well, or open the other sides of the links.
 *
 * Collective for the ranks of the model. Blocks until the other models open the links. Addition of GoACP.
 */
acp_links_t acp_open_links(acp_model_t model, double seconds);

/*
 * Sends the fields of all links that begin at the model, each if the step has a message.
 *
 * Returns 0, or -1 as acp_send_link.
 *
 * Any process. Blocks until the receivers have room. Addition of GoACP.
 */
int acp_send_links(acp_links_t links, int64_t step);

/*
 * Receives the fields of all links that end at the model, each if the step has a message, apart from
 * those that are watched.
 *
 * Returns 0, or -1 as acp_receive_link.
 *
 * Any process. Blocks until the values of the step have come. Addition of GoACP.
 */
int acp_receive_links(acp_links_t links, int64_t step);

/*
 * Returns the watched link to the field of the model with a name, for acp_next_link, or ACP_LINK_NULL if
 * the description has none (ENOENT) or there are no such links (EBADF). acp_close_links closes it.
 *
 * Any process. Does not block. Addition of GoACP.
 */
acp_link_t acp_query_watched_link(acp_links_t links, const char *field);

/*
 * Closes all of the links, also those that are watched, each as acp_close_link does.
 *
 * Returns 0, or -1 if there are no such links.
 *
 * Any process. Blocks until what has been sent has left this process. Addition of GoACP.
 */
int acp_close_links(acp_links_t links);

/* ---- Failures ---------------------------------------------------------- */

/*
 * Returns why a function of this header has failed last in this thread, with the names of the
 * link, the fields and the ranks, or an empty text if none has. It is valid until the next such
 * failure.
 *
 * Any process. Does not block. Addition of GoACP.
 */
const char *acp_couple_message(void);

#ifdef __cplusplus
}
#endif

#endif
