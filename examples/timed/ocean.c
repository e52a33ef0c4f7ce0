// The ocean takes up the average heat from the air. It takes one step in the time of four steps of the air, and prints the
// temperatures at the end.
//
//     ocean STEPS FOLDER [continue]

#include "model.h"

int main(int argc, char **argv)
{
    double water[COLUMNS], heat[COLUMNS];
    int first, count;
    if (acp_init(&argc, &argv) != 0 || argc < 3)
        return EXIT_FAILURE;
    count = share(&first);
    for (int i = 0; i < count; i++)
        water[i] = 15;
    acp_model_t model = acp_create_model("ocean", NULL, 0);
    field(model, "water", water);
    field(model, "heat", heat);
    acp_links_t links = acp_open_links(model, 60);
    if (links == ACP_LINKS_NULL)
        fail("acp_open_links");
    int64_t last = -1;
    if (argc > 3) {
        if (acp_load_links(links, argv[2], &last) != 0)
            fail("acp_load_links");
        own_values(argv[2], "ocean", water, 0);
    }
    int64_t end = last + 1 + atoi(argv[1]) / PER_STEP;
    for (int64_t step = last + 1; step < end; step++) {
        if (acp_receive_links(links, step) != 0)
            fail("acp_receive_links");
        for (int i = 0; i < count; i++)
            water[i] += 0.3 * heat[i];
        if (acp_send_links(links, step) != 0)
            fail("acp_send_links");
    }
    if (acp_save_links(links, argv[2]) != 0)
        fail("acp_save_links");
    own_values(argv[2], "ocean", water, 1);
    for (int i = 0; i < count; i++)
        printf("column %2d after %d steps: %.17g degrees\n", first + i, (int)end, water[i]);
    acp_close_links(links);
    return acp_finalize() == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
