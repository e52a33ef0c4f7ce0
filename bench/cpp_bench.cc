// What copies and maps cost by acp.hpp, beside the same calls in C.
//
//     acprun -np 4 cpp_bench
//
// Copies are of 8 bytes, between an allocation of rank 0 and the starter memory of rank 1. A map of 4 ranks has keys and
// values of 8 bytes. Rank 0 measures, and the others sleep in acp_sync. C and C++ take turns.

#include <acp.hpp>

#include <chrono>
#include <cstdint>
#include <cstdio>

namespace {

using words = acp::map<std::uint64_t, std::uint64_t>;

constexpr int samples = 9;
constexpr std::uint64_t keys = 4000;

// Reports the mean time of one call of f with each of the keys. It ends the run if a call does not return true.
template <class F> void measure(bool reported, const char *source, const char *name, acp::runtime &run, F f) {
    const auto begin = std::chrono::steady_clock::now();
    std::uint64_t right = 0;
    for (std::uint64_t key = 0; key < keys; key++)
        right += f(key) ? 1u : 0u;
    const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - begin;
    if (right != keys)
        run.abort("a value is wrong");
    if (reported) {
        std::printf("%s\t%s\t%.2f\n", source, name, took.count() / keys);
        std::fflush(stdout);
    }
}

void by_c(bool reported, acp::runtime &run, acp_map_t map, acp::allocation<std::uint64_t> &memory) {
    volatile std::uint64_t *const bytes = memory.local();
    const acp_pair_t pair{{memory.data().ga(), 8}, {(memory.data() + 1).ga(), 8}};
    measure(reported, "c", "mapput", run, [&](std::uint64_t key) {
        bytes[0] = bytes[1] = key;
        return acp_insert_map(map, pair) == 1;
    });
    measure(reported, "c", "mapget", run, [&](std::uint64_t key) {
        bytes[0] = key;
        return acp_retrieve_map(map, pair) == 8 && bytes[1] == key;
    });
}

void by_cpp(bool reported, acp::runtime &run, words &map) {
    measure(reported, "cpp", "mapput", run, [&](std::uint64_t key) { return map.insert(key, key); });
    measure(reported, "cpp", "mapget", run, [&](std::uint64_t key) { return map.find(key) == key; });
}

void copies(acp::runtime &run) {
    acp::allocation<std::uint64_t> own(1, run.rank());
    const acp::global_ptr<std::uint64_t> far = acp::starter<std::uint64_t>(1);
    volatile std::uint64_t *const value = own.local();
    const acp_ga_t here = own.data().ga(), there = far.ga();
    for (int sample = -1; sample < samples; sample++) {
        measure(sample >= 0, "c", "blockput8", run, [&](std::uint64_t key) {
            *value = key;
            const acp_handle_t handle = acp_copy(there, here, 8, ACP_HANDLE_NULL);
            acp_complete(handle);
            return handle != ACP_HANDLE_NULL;
        });
        measure(sample >= 0, "c", "blockget8", run, [&](std::uint64_t) {
            acp_complete(acp_copy(here, there, 8, ACP_HANDLE_NULL));
            return *value == keys - 1;
        });
        measure(sample >= 0, "cpp", "blockput8", run, [&](std::uint64_t key) {
            *value = key;
            acp::put(far, own).wait();
            return true;
        });
        measure(sample >= 0, "cpp", "blockget8", run, [&](std::uint64_t) {
            acp::get(own, far).wait();
            return *value == keys - 1;
        });
    }
}

void maps(acp::runtime &run) {
    acp::allocation<std::uint64_t> memory(2, run.rank());
    acp::owned<words> map(words::create(4096));
    for (int sample = -1; sample < samples; sample++) {
        by_c(sample >= 0, run, map->handle(), memory);
        map->clear();
        by_cpp(sample >= 0, run, *map);
        map->clear();
    }
}

} // namespace

int main(int argc, char **argv) {
    acp::runtime run(argc, argv);
    if (run.rank() == 0) {
        copies(run);
        maps(run);
    }
}
