/*
 * Ranks that open a link, for tests of the messages if it is never opened.
 *
 *     opens MODEL to|from FIELD one|begin|links SECONDS report|abort
 *
 * All ranks of the job are a model with a field f, and open the link to or from a field of another model: as one link, as a begun one, or as
 * the links of the description. Each of them prints "rank R pid P" before, and "rank R: MESSAGE" when that has failed; or it ends the
 * run by acp_abort with the message.
 */
#include "program.h"

#include <acp_couple.h>

static double value;

/* opens opens the link in one of the ways. It returns whether it is open. */
static int opens(acp_model_t model, acp_field_t field, int sends, const char *other, const char *how, double seconds)
{
    acp_link_t link;

    if (strcmp(how, "links") == 0)
        return acp_open_links(model, seconds) != ACP_LINKS_NULL;
    if (strcmp(how, "one") == 0)
        return ACP_LINK_NULL != (sends ? acp_open_link_to(field, other, 1, 1, seconds) : acp_open_link_from(field, other, 1, 1, seconds));
    link = sends ? acp_begin_link_to(field, other, 1, 1, seconds) : acp_begin_link_from(field, other, 1, 1, seconds);
    CHECK(link != ACP_LINK_NULL, "%s", acp_couple_message());
    return acp_complete_links(&link, 1) == 0;
}

int main(int argc, char **argv)
{
    acp_model_t model;
    acp_field_t field;
    int64_t point;

    CHECK(acp_init(&argc, &argv) == 0, "acp_init failed");
    CHECK(argc == 7, "wrong arguments");
    point = acp_rank();
    model = acp_create_model(argv[1], NULL, 0);
    field = acp_create_field_list(model, "f", ACP_DOUBLE, 1, &value, &point, 1);
    CHECK(field != ACP_FIELD_NULL, "%s", acp_couple_message());
    sync_all();
    printf("rank %d pid %d\n", acp_rank(), (int)getpid());
    fflush(stdout);
    CHECK(!opens(model, field, strcmp(argv[2], "to") == 0, argv[3], argv[4], atof(argv[5])), "the link is open");
    if (strcmp(argv[6], "abort") == 0)
        acp_abort(acp_couple_message());
    printf("rank %d: %s\n", acp_rank(), acp_couple_message());
    sync_all();
    return acp_finalize();
}
