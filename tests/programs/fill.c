/*
 * Makes a map over all ranks, fills it, and sends its address to all ranks, which may be programs in other languages:
 * see readmap/main.go.
 *
 *     macprun -np 4 inputfile    with jobs of fill and of readmap
 *
 * The ranks of its job are 0 to JOB-1, where JOB is its argument.
 */
#include "program.h"

enum { PAIRS = 5000 };

struct place {
    double longitude, latitude;
    int32_t number, rank;
};

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    int job = argc > 1 ? atoi(argv[1]) : 1, rank = acp_rank(), procs = acp_procs();
    acp_map_t *map = starter();

    if (rank == 0) {
        int *ranks = malloc(sizeof *ranks * (size_t)procs);
        for (int r = 0; r < procs; r++)
            ranks[r] = r;
        *map = acp_create_map(procs, ranks, 101, procs - 1);
        free(ranks);
        CHECK(map->ga != ACP_GA_NULL, "no map: %d", ACP_ERRNO);
        for (int r = 1; r < procs; r++)
            DONE(acp_copy(acp_query_starter_ga(r), acp_query_starter_ga(0), sizeof *map, ACP_HANDLE_NULL));
    }
    sync_all();

    char name[32];
    struct place place;
    acp_ga_t name_ga = acp_query_ga(acp_register_memory(name, sizeof name, 0), name);
    acp_ga_t place_ga = acp_query_ga(acp_register_memory(&place, sizeof place, 0), &place);
    for (int i = rank; i < PAIRS; i += job) {
        acp_pair_t pair = {{name_ga, 0}, {place_ga, sizeof place}};
        pair.first.size = (size_t)sprintf(name, "place %d", i);
        place = (struct place){i / 10.0, -i / 10.0, i, rank};
        CHECK(acp_insert(map, *map, pair) == 1, "%s was not inserted", name);
    }
    sync_all(); /* filled */
    sync_all(); /* read, and changed */

    acp_pair_t pair = {{name_ga, 0}, {place_ga, sizeof place}};
    pair.first.size = (size_t)sprintf(name, "from Go");
    CHECK(acp_retrieve_map(*map, pair) == sizeof place && place.number == -1 && place.latitude == 0.5,
          "what Go has inserted is wrong");
    CHECK(acp_size_map(*map) == PAIRS + 1, "%zu pairs", acp_size_map(*map));
    sync_all();
    if (rank == 0)
        acp_destroy_map(*map);
    end();
    return 0;
}
