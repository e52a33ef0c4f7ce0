/*
 * A resident that waits for a guest in several ways, and the guest:
 *
 *     acprun -np 2 partner HOW resident
 *     acprun -to RUN -np 1 partner HOW guest
 *
 * HOW is the way in which rank 0 waits for rank 2, which is the guest:
 *
 *     receive   for a message in a channel
 *     send      for room in a channel, since the guest receives nothing
 *     copy      for copies from the memory of the guest, again and again
 *     link      for the next message of a link
 *
 * Rank 0 prints "begins", and "waits" when the guest has met it, and at the end "ended: ERROR" with the number of the error. The
 * guest prints "rank R pid P" then, and waits for a signal.
 */
#include "program.h"

#include <acp_couple.h>
#include <errno.h>

enum { RESIDENT = 0, GUEST = 2 };

static acp_link_t open_link(const char *model, const char *partner, int receives)
{
    static double value;
    int one = 1, zero = 0, self = acp_rank();
    acp_model_t m = acp_create_model(model, &self, 1);
    acp_field_t f = acp_create_field_block(m, "x", ACP_DOUBLE, 1, &value, 1, &one, &zero, &one, NULL, 0);
    acp_link_t l = receives ? acp_open_link_from(f, partner, 0, 0, -1) : acp_open_link_to(f, partner, 0, 0, -1);

    CHECK(l != ACP_LINK_NULL, "%s", acp_couple_message());
    return l;
}

/* await_guest waits until the guest has come. */
static void await_guest(void)
{
    while (acp_query_starter_ga(GUEST) == ACP_GA_NULL)
        usleep(1000);
}

static void waits(void)
{
    printf("waits\n");
    fflush(stdout);
}

/* error_of returns the number of the error of a request, which may have failed at its beginning. */
static int error_of(acp_request_t request)
{
    if (request != ACP_REQUEST_NULL) {
        ACP_ERRNO = 0;
        acp_wait_ch(request);
    }
    return ACP_ERRNO;
}

static void resident(const char *how)
{
    static char long_message[1 << 20];
    int failed = 0;

    if (strcmp(how, "link") != 0)
        await_guest();
    if (strcmp(how, "receive") == 0) {
        acp_ch_t ch = acp_create_ch(GUEST, RESIDENT);
        char byte;
        acp_wait_ch(acp_nbrecv_ch(ch, &byte, 1));
        waits();
        failed = error_of(acp_nbrecv_ch(ch, &byte, 1));
        CHECK(acp_free_ch(ch) == 0, "acp_free_ch: %d", ACP_ERRNO);
    } else if (strcmp(how, "send") == 0) {
        acp_ch_t ch = acp_create_ch(RESIDENT, GUEST);
        char byte = 1;
        acp_wait_ch(acp_nbsend_ch(ch, &byte, 1));
        waits();
        failed = error_of(acp_nbsend_ch(ch, long_message, sizeof long_message));
        CHECK(acp_free_ch(ch) == 0, "acp_free_ch: %d", ACP_ERRNO);
    } else if (strcmp(how, "copy") == 0) {
        acp_ga_t here = acp_query_starter_ga(RESIDENT), there = acp_query_starter_ga(GUEST);
        acp_handle_t h;

        DONE(acp_copy(here, there, 8, ACP_HANDLE_NULL));
        waits();
        ACP_ERRNO = 0;
        while ((h = acp_copy(here, there, 8, ACP_HANDLE_NULL)) != ACP_HANDLE_NULL)
            acp_complete(h);
        failed = ACP_ERRNO;
    } else {
        acp_link_t in = open_link("resident", "guest.x", 1);
        CHECK(acp_receive_link(in, 1) == 0, "%s", acp_couple_message());
        waits();
        CHECK(acp_receive_link(in, 2) != 0, "a message has come");
        failed = ACP_ERRNO;
        CHECK(acp_close_link(in) == 0, "%s", acp_couple_message());
    }
    printf("ended: %d\n", failed);
    fflush(stdout);
}

static void guest(const char *how)
{
    char byte = 1;

    if (strcmp(how, "receive") == 0) {
        acp_wait_ch(acp_nbsend_ch(acp_create_ch(GUEST, RESIDENT), &byte, 1));
    } else if (strcmp(how, "send") == 0) {
        acp_wait_ch(acp_nbrecv_ch(acp_create_ch(RESIDENT, GUEST), &byte, 1));
    } else if (strcmp(how, "link") == 0) {
        acp_link_t out = open_link("guest", "resident.x", 0);
        CHECK(acp_send_link(out, 1) == 0, "%s", acp_couple_message());
    }
    printf("rank %d pid %d\n", acp_rank(), (int)getpid());
    fflush(stdout);
    pause();
}

int main(int argc, char **argv)
{
    CHECK(argc == 3, "expected HOW and resident or guest");
    begin(&argc, &argv);
    if (strcmp(argv[2], "guest") == 0)
        guest(argv[1]);
    if (acp_rank() == RESIDENT) {
        printf("begins\n");
        fflush(stdout);
        resident(argv[1]);
    }
    sync_all();
    end();
    return EXIT_SUCCESS;
}
