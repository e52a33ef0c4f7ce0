// An exception leaves the scope of acp::runtime on rank 0, while the other ranks wait for it.
#include <acp.hpp>

#include <cstdio>
#include <cstring>
#include <stdexcept>

int main(int argc, char **argv) {
    const bool of_acp = argc > 1 && std::strcmp(argv[1], "acp") == 0;
    try {
        acp::runtime run(argc, argv);
        acp::allocation<int> mine(1, run.rank());
        if (run.rank() == 0) {
            // A rank that is still in acp_init would report the end of the run.
            acp_wait_value("initialised", 1, nullptr, 0, nullptr);
            acp::future<> f = acp::put(mine.data(), 1);
            if (of_acp)
                acp::get(acp::global_ptr<int>()).get();
            throw std::runtime_error("of the program");
        }
        acp_put_value("initialised", nullptr, 0);
        run.sync();
    } catch (const std::exception &e) {
        std::fprintf(stderr, "caught: %s\n", e.what());
        return 7;
    }
    return 8;
}
