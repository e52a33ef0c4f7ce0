/*
 * The exchange of surface temperatures between two models by one-sided copies.
 *
 * Each rank owns an inbox on the C heap for the temperatures that it needs of the
 * other model, and registers it. In each step it copies the columns of its own
 * surface straight into the inboxes of all ranks that need them, and adds 1 to their
 * ready counter after each copy: the handle of the copy is the order of the add. A
 * receiver waits until its counter says that all have come. No rank of either model
 * calls anything for a transfer in which it is the receiver, and the copy goes from
 * the array of one model into the array of the other.
 *
 * Why two buffers are enough, and no barrier is needed: let R receive from S. Then S also receives
 * from R, because a rank needs the columns of another one only if the two lie over each other. S
 * fills the buffer of step n again in step n+2, after R's message of step n+1 has come; and R sends
 * that when it has finished step n. So S never overwrites what R has yet to read.
 *
 * Why each buffer has a counter of its own: R may receive from S and T. S may be one
 * step ahead, so that one common counter could not tell "S and T have sent step n"
 * from "S has sent n and n+1". By the argument above S is never two steps ahead, so
 * the counter of a buffer only ever counts one step.
 */
#ifndef COUPLER_H
#define COUPLER_H

#include "directory.h"
#include "patience.h"

/* One rank of the other model that needs some of our columns. */
struct target {
    acp_ga_t inbox[2]; /* where our columns go, by buffer */
    acp_ga_t ready[2]; /* what then counts them */
    int first;         /* the first of our cells that goes there */
    size_t bytes;
};

struct coupler {
    struct starter *starter;
    struct part *part;
    struct span needs;
    double *inbox; /* two buffers of needs.count temperatures */
    acp_ga_t cells; /* global address of part->cells */
    acp_atkey_t inbox_key, cells_key;
    struct target targets[MAX_RANKS];
    int ntargets;
    uint64_t senders; /* ranks that write into our inbox */
    acp_handle_t sent; /* last GMA of this step */
};

/* coupler_overlap returns the columns that two spans of one grid have in common. */
static inline struct span coupler_overlap(struct span a, struct span b)
{
    int first = a.first > b.first ? a.first : b.first;
    int enda = a.first + a.count, endb = b.first + b.count, end = enda < endb ? enda : endb;
    return (struct span){first, end > first ? end - first : 0};
}

/* coupler_meet notes which columns of this rank e, a rank of the other model, needs, and whether
 * this rank needs columns of e. */
static inline void coupler_meet(struct coupler *c, const struct entry *e)
{
    struct span theirs = {(int)e->first, (int)e->count}, need = {(int)e->need_first, (int)e->need_count};
    struct span ours = coupler_overlap(c->part->own, need);

    if (coupler_overlap(theirs, c->needs).count > 0)
        c->senders++;
    if (ours.count == 0)
        return;
    struct target *t = &c->targets[c->ntargets++];
    t->first = ours.first - c->part->own.first;
    t->bytes = (size_t)ours.count * sizeof(double);
    for (int b = 0; b < 2; b++) {
        t->inbox[b] = e->inbox + (acp_ga_t)(b * need.count + ours.first - need.first) * sizeof(double);
        t->ready[b] = e->ready + (acp_ga_t)b * sizeof(uint64_t);
    }
}

/*
 * coupler_open announces a part of the model kind and finds the parts of other with
 * which it shares the interface; needs are their columns that it needs. Collective
 * over all programs of the run.
 */
static inline void coupler_open(struct coupler *c, struct part *part, enum kind kind, enum kind other,
                                struct span needs)
{
    *c = (struct coupler){.starter = starter_memory(), .part = part, .needs = needs};
    size_t inbox_bytes = 2 * (size_t)needs.count * sizeof(double);
    c->inbox = malloc(inbox_bytes);
    if (c->inbox == NULL)
        fail("no memory for the inbox");

    acp_ga_t here = acp_query_starter_ga(acp_rank());
    c->starter->mine = (struct entry){
        .kind = kind,
        .first = (uint64_t)part->own.first,
        .count = (uint64_t)part->own.count,
        .need_first = (uint64_t)needs.first,
        .need_count = (uint64_t)needs.count,
        .inbox = published(c->inbox, inbox_bytes, &c->inbox_key),
        .ready = here + offsetof(struct starter, ready),
        .board = here + offsetof(struct starter, board),
    };
    /* The temperatures are sent from where the model keeps them. */
    c->cells = published(part->cells, 2 * heat_level(part) * sizeof(double), &c->cells_key);

    directory_join(c->starter);
    for (int rank = 0; rank < acp_procs(); rank++)
        if (c->starter->directory[rank].kind == (uint64_t)other)
            coupler_meet(c, &c->starter->directory[rank]);
    if (c->senders == 0)
        fail("the run has no model to couple with");
}

/* coupler_send starts sending the surface of this step. The temperatures must stay as
 * they are until coupler_sent. */
static inline void coupler_send(struct coupler *c, int step)
{
    int b = step % 2;
    acp_ga_t surface = c->cells + (acp_ga_t)(c->part->now + 1 - c->part->cells) * sizeof(double);
    acp_ga_t old = acp_query_starter_ga(acp_rank()) + offsetof(struct starter, old);

    for (int i = 0; i < c->ntargets; i++) {
        const struct target *t = &c->targets[i];
        acp_handle_t copy = issued(acp_copy(t->inbox[b], surface + (acp_ga_t)t->first * sizeof(double), t->bytes,
                                            ACP_HANDLE_NULL),
                                   "temperatures cannot be sent");
        c->sent = issued(acp_add8(old, t->ready[b], 1, copy), "a ready counter cannot be increased");
    }
}

/* coupler_sent waits until everything sent has arrived. */
static inline void coupler_sent(struct coupler *c)
{
    acp_complete(c->sent);
}

/* coupler_receive waits for the surface of the other model at this step and returns
 * its needed columns, which stay until coupler_send of the next step. */
static inline const double *coupler_receive(struct coupler *c, int step)
{
    int b = step % 2;
    uint64_t expected = (uint64_t)(step / 2 + 1) * c->senders;
    unsigned looks = 0;

    /* Acquire: the temperatures are read after the counter. */
    while (atomic_load_explicit(&c->starter->ready[b], memory_order_acquire) < expected)
        patience(&looks);
    return c->inbox + b * c->needs.count;
}

/* coupler_report shows the heat content of this part to watchers. */
static inline void coupler_report(struct coupler *c)
{
    struct board *board = &c->starter->board;
    uint64_t n = atomic_load_explicit(&board->reports, memory_order_relaxed);

    board->heat[n] = heat_content(c->part);
    atomic_store_explicit(&board->reports, n + 1, memory_order_release);
}

/* coupler_close takes the arrays back. After the last step no rank writes into the inbox: this rank
 * has waited for all messages of that step. */
static inline void coupler_close(struct coupler *c)
{
    if (acp_unregister_memory(c->inbox_key) != 0 || acp_unregister_memory(c->cells_key) != 0)
        fail("memory cannot be unregistered");
    free(c->inbox);
}

#endif
