// The air computes in each step how much heat goes into the water below it. The description of the run sends the ocean the
// average of four steps, and interpolates the temperature of the water between the steps of the ocean.
//
//     air STEPS FOLDER [continue]

#include "model.h"

int main(int argc, char **argv)
{
    double water[COLUMNS], heat[COLUMNS], air[COLUMNS];
    int first, count;
    if (acp_init(&argc, &argv) != 0 || argc < 3)
        return EXIT_FAILURE;
    count = share(&first);
    for (int i = 0; i < count; i++) {
        air[i] = 10 + first + i;
        heat[i] = 0;
    }
    acp_model_t model = acp_create_model("air", NULL, 0);
    field(model, "water", water);
    field(model, "heat", heat);
    acp_links_t links = acp_open_links(model, 60);
    if (links == ACP_LINKS_NULL)
        fail("acp_open_links");
    int64_t last = -1;
    if (argc > 3) {
        if (acp_load_links(links, argv[2], &last) != 0)
            fail("acp_load_links");
        own_values(argv[2], "air", air, 0);
    }
    for (int64_t step = last + 1; step < last + 1 + atoi(argv[1]); step++) {
        if (acp_receive_links(links, step) != 0)
            fail("acp_receive_links");
        for (int i = 0; i < count; i++) {
            double sun = (double)(step % 7);
            heat[i] = 0.1 * (air[i] - water[i]);
            air[i] += 0.01 * sun - 0.2 * heat[i];
        }
        if (acp_send_links(links, step) != 0)
            fail("acp_send_links");
    }
    if (acp_save_links(links, argv[2]) != 0)
        fail("acp_save_links");
    own_values(argv[2], "air", air, 1);
    acp_close_links(links);
    return acp_finalize() == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
