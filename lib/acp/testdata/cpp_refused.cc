// Calls of acp.hpp and acp_couple.hpp that the library refuses once: what the object owns stays, and the next call
// gives it back. The linker puts the functions here in place of those of C (-Wl,--wrap).
#include <acp.hpp>
#include <acp_couple.hpp>

#include "cpp_check.h"

#include <vector>

namespace {

bool refuse = false; // the next call of a function below
int closed = 0;      // ends and links that have been closed

// Reports whether to refuse this call.
bool refused() { return std::exchange(refuse, false); }

} // namespace

extern "C" {

acp_request_t __real_acp_nbfree_ch(acp_ch_t ch);
acp_request_t __wrap_acp_nbfree_ch(acp_ch_t ch) {
    if (refused())
        return __real_acp_nbfree_ch(ACP_CH_NULL);
    const acp_request_t request = __real_acp_nbfree_ch(ch);
    closed += request != ACP_REQUEST_NULL;
    return request;
}

int __real_acp_close_link(acp_link_t link);
int __wrap_acp_close_link(acp_link_t link) {
    if (refused())
        return __real_acp_close_link(ACP_LINK_NULL);
    const int result = __real_acp_close_link(link);
    closed += result == 0;
    return result;
}

int __real_acp_finalize(void);
int __wrap_acp_finalize(void) {
    if (refused())
        return acp_malloc(1, -1) == ACP_GA_NULL ? -1 : 0;
    return __real_acp_finalize();
}
}

namespace {

// The ends of channels, closed by close and by the destructor.
void channels(int me, int n) {
    acp::sender<int> out((me + 1) % n);
    acp::receiver<int> in((me + n - 1) % n);
    refuse = true;
    CHECK_THROWS(out.close(), invalid_argument);
    CHECK(out.handle() != ACP_CH_NULL && closed == 0);
    out.send(me); // the end still works
    CHECK(in.receive() == (me + n - 1) % n);
    {
        acp::sender<int> &same = out;
        out = std::move(same);
        CHECK(out.handle() != ACP_CH_NULL);
        refuse = true;
        acp::sender<int> moved = std::move(out);
        CHECK_THROWS(moved.close(), invalid_argument);
    }
    CHECK(closed == 1 && out.handle() == ACP_CH_NULL);
    CHECK(!in.receive());
    in.close();
    CHECK(closed == 2);
    CHECK_THROWS(in.close(), invalid_argument);
}

// Links from rank 0 to the others.
void links(int me) {
    closed = 0;
    acp::model model(me == 0 ? "first" : "other", me == 0 ? acp::span<const int>({0}) : acp::span<const int>({1}));
    std::vector<double> values{1. * me};
    acp::field field(model, "value", values, acp::list{{0}});
    auto close = [](auto link) {
        refuse = true;
        CHECK_THROWS(link.close(), bad_file_descriptor);
        CHECK(link.handle() != ACP_LINK_NULL && closed == 0);
        link.close();
        CHECK(link.handle() == ACP_LINK_NULL && closed == 1);
    };
    if (me == 0)
        close(acp::outgoing(field, "other.value"));
    else
        close(acp::incoming(field, "first.value"));
}

} // namespace

int main(int argc, char **argv) {
    acp::runtime run(argc, argv);
    channels(run.rank(), run.size());
    links(run.rank());
    refuse = true;
    CHECK_THROWS(run.finalize(), invalid_argument);
    CHECK(run.rank() >= 0);
    acp::allocation<int> there(1, 0);
    acp::put(there.data(), 5).wait(); // single values still have memory
    CHECK(acp::get(there.data()).get() == 5);
    run.sync();
    run.finalize();
    CHECK(acp::runtime::rank() == -1);
    return 0;
}
