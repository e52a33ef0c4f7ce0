/*
 * A model that publishes a field, and viewers of it:
 *
 *     acprun -np 3 viewing model
 *     acprun -to RUN -np 2 viewing viewer STEPS
 *     acprun -to RUN -np 2 viewing viewer refused
 *
 * Each value of the field is composed of the step and the number of the point. The model prints "rank R pid P" when it
 * begins, and continues until rank 0 reads a line. Then its rank 0 prints the longest step, in milliseconds. A viewer
 * checks the values of STEPS steps, and prints "saw N steps". With "hold" in place of the number it holds the link until
 * a signal ends it. With "refused" it prints why it does not get the link. It prints "opens" before it opens the link.
 */
#include "program.h"

#include <acp_couple.h>
#include <errno.h>
#include <poll.h>
#include <time.h>

enum { POINTS = 600 };

static double values[POINTS];

static double value(int64_t step, int point) { return (double)step * 1e6 + point; }

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* part declares the field of the calling job, in which each of count ranks has a part from first on. */
static acp_field_t part(const char *model, const char *field, int index, int count, int *first, int *points)
{
    int size = POINTS;
    acp_model_t m = acp_create_model(model, NULL, 0);
    acp_field_t f;

    CHECK(m != ACP_MODEL_NULL, "%s", acp_couple_message());
    *first = POINTS * index / count;
    *points = POINTS * (index + 1) / count - *first;
    f = acp_create_field_block(m, field, ACP_DOUBLE, 1, values, 1, &size, first, points, NULL, 0);
    CHECK(f != ACP_FIELD_NULL, "%s", acp_couple_message());
    return f;
}

static int over(void)
{
    struct pollfd input = {0, POLLIN, 0};

    return poll(&input, 1, 0) > 0;
}

static int model(void)
{
    int first, points, rank = acp_rank();
    acp_field_t sst = part("ocean", "sst", rank, acp_procs(), &first, &points);
    acp_link_t out = acp_publish_link_to(sst, "viewer.picture", 1);
    volatile int64_t *last = starter();
    double longest = 0;

    CHECK(out != ACP_LINK_NULL, "%s", acp_couple_message());
    sync_all();
    printf("rank %d pid %d\n", rank, (int)getpid());
    fflush(stdout);
    for (int64_t step = 1; *last == 0 || step <= *last; step++) {
        double began = now(), took;

        for (int i = 0; i < points; i++)
            values[i] = value(step, first + i);
        CHECK(acp_send_link(out, step) == 0, "%s", acp_couple_message());
        if (rank == 0 && *last == 0 && over()) {
            /* No other rank is more than a step ahead, because of acp_sync. */
            last[1] = step + 1;
            for (int r = 0; r < acp_procs(); r++)
                DONE(acp_copy(acp_query_starter_ga(r), acp_query_starter_ga(0) + 8, 8, ACP_HANDLE_NULL));
        }
        sync_all();
        took = now() - began;
        longest = took > longest ? took : longest;
        usleep(1000);
    }
    if (rank == 0)
        printf("longest step %.1f ms\n", longest);
    CHECK(acp_close_link(out) == 0, "%s", acp_couple_message());
    end();
    return EXIT_SUCCESS;
}

static int viewer(const char *steps)
{
    int first, points, job = acp_job(acp_rank());
    int index = acp_rank() - acp_job_rank(job, 0), count = acp_job_procs(job);
    acp_field_t picture = part("viewer", "picture", index, count, &first, &points);
    acp_link_t in;
    int64_t step, before = 0;
    int seen = 0;

    printf("opens\n");
    fflush(stdout);
    in = acp_watch_link_from(picture, "ocean.sst", -1);
    if (strcmp(steps, "refused") == 0) {
        CHECK(in == ACP_LINK_NULL && ACP_ERRNO == EINVAL, "link %d", in != ACP_LINK_NULL);
        printf("refused: %s\n", acp_couple_message());
        end();
        return EXIT_SUCCESS;
    }
    CHECK(in != ACP_LINK_NULL, "%s", acp_couple_message());
    for (; seen < atoi(steps); seen++) {
        CHECK(acp_next_link(in, &step, -1) == 0, "%s", acp_couple_message());
        CHECK(step > before, "step %lld after %lld", (long long)step, (long long)before);
        before = step;
        for (int i = 0; i < points; i++)
            CHECK(values[i] == value(step, first + i), "point %d has %g in step %lld", first + i, values[i], (long long)step);
    }
    if (strcmp(steps, "hold") == 0) {
        printf("holds\n");
        fflush(stdout);
        pause();
    }
    printf("saw %d steps\n", seen);
    CHECK(acp_close_link(in) == 0, "%s", acp_couple_message());
    end();
    return EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
    CHECK(argc > 1, "expected model or viewer");
    begin(&argc, &argv);
    return argc > 2 ? viewer(argv[2]) : model();
}
