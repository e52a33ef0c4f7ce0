// acp_runtime.hpp - the part of this process in a run.
#ifndef GOACP_ACP_RUNTIME_HPP
#define GOACP_ACP_RUNTIME_HPP

#include "acp_slots.hpp"
#include "acp_span.hpp"

#include <exception>
#include <type_traits>
#include <utility>
#include <vector>

namespace acp {

// This process as a rank of the run, from the constructor to the destructor. A process has one at a time. The
// static functions may also be called as members.
class runtime {
public:
    // Joins the run that the launcher has started, or begins a run of one process. Throws error. Collective.
    // Blocks until every process has called it. acp_init.
    runtime() : runtime(nullptr, nullptr) {}

    // The same. It removes the arguments that begin with --acp- from argc and argv. acp_init.
    runtime(int &argc, char **&argv) : runtime(&argc, &argv) {}

    // Takes over the run; other has none then. Does not block.
    runtime(runtime &&other) noexcept
        : active_(std::exchange(other.active_, false)), exceptions_(other.exceptions_) {}

    // Takes over the run of other. *this has none before. Does not block.
    runtime &operator=(runtime &&other) noexcept {
        std::swap(active_, other.active_);
        exceptions_ = other.exceptions_;
        return *this;
    }

    // Ends the part of this process in the run as finalize does, without exceptions. If an exception leaves
    // the scope of the object, the destructor ends the run by acp_abort instead: the other ranks do not wait
    // for this one. Collective. Blocks until every process has called it. acp_finalize, acp_abort.
    ~runtime() {
        if (!active_)
            return;
        if (std::uncaught_exceptions() > exceptions_) {
            const char *reason = acp_error_message();
            acp_abort(*reason != '\0' ? reason : "an exception has left the scope of acp::runtime");
        }
        detail::own_slots.end();
        acp_finalize();
    }

    // Completes all transfers of this process, and ends its part in the run. All objects of this interface
    // are of no use afterwards. Throws error; if the library refuses to end, this process remains a rank of the
    // run, and may call it again. Collective. Blocks until every process has called it. acp_finalize.
    void finalize() {
        if (acp_finalize() == 0) {
            leave();
            return;
        }
        const error failure; // before acp_rank, which may fail as well
        if (acp_rank() < 0)
            leave();
        throw failure;
    }

    // Returns the rank of this process, or -1 outside of a run. Any process. Does not block. acp_rank.
    static int rank() noexcept { return acp_rank(); }

    // Returns the number of ranks, or -1 outside of a run. Any process. Does not block. acp_procs.
    static int size() noexcept { return acp_procs(); }

    // Returns the ranks that call collective functions together, in ascending order: those of the epoch. Guests
    // have their own. Throws error. Any process. Does not block. acp_epoch_ranks.
    static std::vector<int> ranks() {
        std::vector<int> all(static_cast<std::size_t>(acp_procs() > 0 ? acp_procs() : 0));
        const int count = acp_epoch_ranks(all.data(), static_cast<int>(all.size()));
        detail::require(count >= 0);
        all.resize(static_cast<std::size_t>(count));
        return all;
    }

    // Waits for all ranks. It does not complete transfers. Throws error. Collective. Blocks until every
    // process has called it. acp_sync.
    static void sync() { detail::require(acp_sync() == 0); }

    // sync with an error code. acp_sync.
    static void sync(std::error_code &ec) noexcept { detail::succeeded(acp_sync() == 0, ec); }

    // Waits for the ranks of a list, which pass the same list. Otherwise as sync. acp_sync_ranks.
    static void sync(span<const int> ranks) {
        detail::require(acp_sync_ranks(ranks.data(), static_cast<int>(ranks.size())) == 0);
    }

    // Returns the ranks of the job of this process. Throws error. Any process. Does not block. acp_job,
    // acp_job_procs, acp_job_rank.
    static std::vector<int> job_ranks() {
        const int job = acp_job(acp_rank());
        detail::require(job >= 0);
        std::vector<int> ranks;
        for (int i = 0; i < acp_job_procs(job); i++)
            ranks.push_back(acp_job_rank(job, i));
        return ranks;
    }

    // Waits until all transfers of this process are complete, also those whose future has been detached.
    // Throws error if the time of acp_set_timeout is over. Any process. Blocks until the transfers are
    // complete. acp_complete with ACP_HANDLE_ALL.
    static void complete() {
        acp_complete(ACP_HANDLE_ALL);
        detail::require(acp_inquire(ACP_HANDLE_ALL) == 0);
    }

    // Writes text to standard error and ends the run. Does not return. Any process. Blocks for 5 seconds at
    // most. acp_abort.
    [[noreturn]] static void abort(const char *text) {
        acp_abort(text);
        std::terminate();
    }

    // Starts the library again with this process as rank. All other objects of this interface are of no use
    // afterwards. Throws error, and changes nothing then. Collective. Blocks until every process has called
    // it. acp_reset.
    static void reset(int rank) {
        detail::require(acp_reset(rank) == 0);
        detail::own_slots.end();
        detail::own_slots.begin();
    }

private:
    runtime(int *argc, char ***argv) : active_(true), exceptions_(std::uncaught_exceptions()) {
        detail::require(acp_init(argc, argv) == 0);
        detail::own_slots.begin();
    }

    void leave() noexcept {
        active_ = false;
        detail::own_slots.end();
    }

    bool active_;
    int exceptions_; // in flight when the object was made
};

// Returns value of rank root on all ranks of a list, which pass the same list and root. T is trivially
// copyable, such as global_ptr, map or a struct of them. Throws error. The ranks of the list. Blocks until
// value has arrived. acp_broadcast.
template <class T> T broadcast(T value, int root, span<const int> ranks) {
    static_assert(std::is_trivially_copyable_v<T>, "acp::broadcast sends the bytes of a value");
    const int count = static_cast<int>(ranks.size());
    detail::require(acp_broadcast(&value, sizeof value, root, ranks.data(), count) == 0);
    return value;
}

// The same for the ranks of runtime::ranks. Collective. acp_broadcast.
template <class T> T broadcast(T value, int root) { return broadcast(value, root, runtime::ranks()); }

} // namespace acp

#endif
