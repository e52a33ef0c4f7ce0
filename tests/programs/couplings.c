/*
 * The twin of coupled/main.go in C: jobs that are models of a ring, and ranks that wait at a link.
 *
 *     couplings -from A -to B      sends its field to job B, receives that of job A, and checks it
 *     couplings -in receive        rank 0 is a model, the other ranks are another one, and all wait
 *
 * The ways to wait are receive (rank 0 never sends), send (rank 0 never receives) and exchange (all send
 * and receive without end). Each rank prints "rank R pid P" when it is about to wait.
 */
#include "program.h"

#include <acp_couple.h>

enum { POINTS = 3000, STEPS = 50 };

/* COUPLED ends the run with the message of the library unless the call has succeeded. */
#define COUPLED(call) CHECK(call, "%s", acp_couple_message())

/* A model of the ring, on one of its ranks. */
struct model {
    const char *name;
    int index, ranks;
    int64_t points[POINTS]; /* the points of this rank */
    int count;
    double out[POINTS], in[POINTS];
};

/* share gives the rank its points: a block if the model has an odd number of ranks, otherwise every n-th point. */
static void share(struct model *m)
{
    for (int x = 0; x < POINTS; x++)
        if (m->ranks % 2 == 1 ? x * m->ranks / POINTS == m->index : x % m->ranks == m->index)
            m->points[m->count++] = x;
}

/* field declares a field of the ring at data: as a block, or as a list. */
static acp_field_t field(const struct model *m, acp_model_t model, const char *name, double *data)
{
    int size = POINTS, first = (int)m->points[0];

    if (m->ranks % 2 == 1)
        return acp_create_field_block(model, name, ACP_DOUBLE, 1, data, 1, &size, &first, &m->count, NULL, 0);
    return acp_create_field_list(model, name, ACP_DOUBLE, 1, data, m->points, m->count);
}

/* value is the value that a model sends for a point in a step. */
static double value(const char *model, int step, int64_t point)
{
    return (double)(strlen(model) * 1000003 + (size_t)model[0] * 7919 + (size_t)step * 131) + (double)point / 16;
}

/* ring opens both links, exchanges the fields, and closes the links in the order in which it has opened them. The job
 * sea begins with the incoming link, and all other jobs with the outgoing link: so they do not deadlock. */
static void ring(const char *from, const char *to)
{
    static struct model m;
    char receiver[256], sender[256];
    int job = acp_job(acp_rank());

    m.name = acp_job_name(job);
    m.ranks = acp_job_procs(job);
    m.index = acp_rank() - acp_job_rank(job, 0);
    share(&m);
    snprintf(receiver, sizeof receiver, "%s.in", to);
    snprintf(sender, sizeof sender, "%s.out", from);
    acp_model_t model = acp_create_model(NULL, NULL, 0);
    acp_field_t in = field(&m, model, "in", m.in), out = field(&m, model, "out", m.out);
    COUPLED(in != ACP_FIELD_NULL && out != ACP_FIELD_NULL);
    int incoming_first = strcmp(m.name, "sea") == 0;
    acp_link_t outgoing = ACP_LINK_NULL, incoming;
    if (!incoming_first)
        COUPLED((outgoing = acp_open_link_to(out, receiver, 1, 1, -1)) != ACP_LINK_NULL);
    COUPLED((incoming = acp_open_link_from(in, sender, 0, 1, -1)) != ACP_LINK_NULL);
    if (incoming_first)
        COUPLED((outgoing = acp_open_link_to(out, receiver, 1, 1, -1)) != ACP_LINK_NULL);
    for (int step = 0; step < STEPS; step++) {
        for (int i = 0; i < m.count; i++)
            m.out[i] = value(m.name, step, m.points[i]);
        COUPLED(acp_send_link(outgoing, step) == 0);
        COUPLED(acp_receive_link(incoming, step) == 0);
        for (int i = 0; i < m.count; i++)
            CHECK(m.in[i] == value(from, step, m.points[i]), "step %d: point %d of %s is %g", step, (int)m.points[i], from,
                  m.in[i]);
    }
    if (m.index == 0)
        printf("%s has got %d fields of %s\n", m.name, STEPS, from);
    COUPLED(acp_close_link(outgoing) == 0 && acp_close_link(incoming) == 0);
}

/* wait_at waits at a link between rank 0 and the other ranks. */
static void wait_at(const char *way)
{
    static double data[POINTS];
    int rank = acp_rank(), others = acp_procs() - 1, zero = 0, ranks[64], sends = (rank == 0) != (strcmp(way, "send") == 0);
    int64_t count = rank == 0 ? POINTS : POINTS / others, first = rank == 0 ? 0 : (rank - 1) * count;

    for (int i = 0; i < others; i++)
        ranks[i] = i + 1;
    acp_model_t model = rank == 0 ? acp_create_model("one", &zero, 1) : acp_create_model("others", ranks, others);
    acp_field_t f = acp_create_field_ranges(model, "field", ACP_DOUBLE, 1, data, &first, &count, 1);
    COUPLED(f != ACP_FIELD_NULL);
    const char *partner = rank == 0 ? "others.field" : "one.field";
    acp_link_t link = sends ? acp_open_link_to(f, partner, 1, 1, -1) : acp_open_link_from(f, partner, 1, 1, -1);
    COUPLED(link != ACP_LINK_NULL);
    printf("rank %d pid %d\n", rank, (int)getpid());
    fflush(stdout);
    while (rank == 0 && strcmp(way, "exchange") != 0)
        pause();
    for (int64_t step = 0;; step++)
        COUPLED((sends ? acp_send_link(link, step) : acp_receive_link(link, step)) == 0);
}

/* option returns the word after an option, or NULL if there is none. */
static const char *option(int argc, char **argv, const char *name)
{
    for (int i = 1; i + 1 < argc; i++)
        if (strcmp(argv[i], name) == 0)
            return argv[i + 1];
    return NULL;
}

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    const char *way = option(argc, argv, "-in");
    if (way != NULL)
        wait_at(way);
    ring(option(argc, argv, "-from"), option(argc, argv, "-to"));
    end();
    return EXIT_SUCCESS;
}
