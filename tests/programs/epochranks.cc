// What is there for all ranks by default is there for those of the epoch, after rank 1 has left.
#include <acp.hpp>

#include <cstdio>

static void check(bool holds, const char *what) {
    if (!holds)
        acp::runtime::abort(what);
}

int main(int argc, char **argv) {
    acp::runtime run(argc, argv);
    check(acp::runtime::ranks() == std::vector<int>{0, 1, 2}, "ranks at the beginning");
    if (acp_adopt(run.rank() != 1) < 0 || run.rank() == 1)
        return 0;
    check(acp::runtime::ranks() == std::vector<int>{0, 2} && run.size() == 3, "ranks of the second epoch");
    using words = acp::map<int, int>;
    words shared;
    if (run.rank() == 2)
        shared = words::create(16);
    shared = acp::broadcast(shared, 2);
    shared.insert(run.rank(), 10 * run.rank());
    run.sync();
    check(shared.find(0) == 0 && shared.find(2) == 20, "values of the map");
    run.sync();
    std::printf("rank %d of %d is done\n", run.rank(), run.size());
    return 0;
}
