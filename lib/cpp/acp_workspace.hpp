// acp_workspace.hpp - memory that is spread over all ranks, in pieces of one size.
#ifndef GOACP_ACP_WORKSPACE_HPP
#define GOACP_ACP_WORKSPACE_HPP

#include "acp_slots.hpp"
#include "acp_span.hpp"

#include <cstring>
#include <exception>
#include <limits>
#include <type_traits>
#include <utility>

namespace acp {

// count elements of type T over the ranks, as acp_setparams_ws says. T is trivially copyable. All ranks make and
// destroy it together.
template <class T> class workspace {
    static_assert(std::is_trivially_copyable_v<T>, "workspaces have the bytes of values");

public:
    // Makes a workspace, whose elements are undefined. Throws error on all ranks if a heap has no room or the ranks
    // differ. Collective. Blocks until every process has called it. acp_create_ws.
    explicit workspace(std::size_t count)
        : workspace_(acp_create_ws(count <= most ? count * sizeof(T) : std::numeric_limits<std::size_t>::max())),
          size_(count), exceptions_(std::uncaught_exceptions()) {
        detail::require(workspace_ != ACP_WSD_NULL);
    }

    // Takes over the workspace of other, which has none then. Does not block.
    workspace(workspace &&other) noexcept
        : workspace_(std::exchange(other.workspace_, ACP_WSD_NULL)), size_(std::exchange(other.size_, 0)),
          exceptions_(other.exceptions_) {}
    workspace &operator=(workspace &&) = delete;

    // Frees the workspace. If an exception leaves its scope, it does nothing, since the other ranks may not come.
    // Collective. Blocks until every process has called it. acp_destroy_ws.
    ~workspace() {
        if (workspace_ != ACP_WSD_NULL && acp_rank() >= 0 && std::uncaught_exceptions() <= exceptions_)
            acp_destroy_ws(workspace_);
    }

    // Returns the number of elements. Does not block.
    std::size_t size() const noexcept { return size_; }

    // Copies elements from element first on. Throws error if they are not all in the workspace. Any process.
    // Blocks for one round trip to each rank that has some. acp_read_ws.
    void read(std::size_t first, span<T> values) const {
        if (values.size() == 0)
            return;
        check(first, values.size());
        const detail::slot to = detail::slot::take(values.size() * sizeof(T));
        detail::require(acp_read_ws(workspace_, to.ga(), values.size() * sizeof(T), first * sizeof(T)) == 0);
        std::memcpy(values.data(), to.at(), values.size() * sizeof(T));
    }

    // Returns element i. Otherwise as the other form. acp_read_ws.
    T read(std::size_t i) const {
        T value{};
        read(i, span<T>(&value, 1));
        return value;
    }

    // Copies elements to element first on. Otherwise as read. acp_write_ws.
    void write(std::size_t first, span<const T> values) {
        if (values.size() == 0)
            return;
        check(first, values.size());
        const detail::slot from = detail::slot::take(values.size() * sizeof(T));
        std::memcpy(from.at(), values.data(), values.size() * sizeof(T));
        detail::require(acp_write_ws(workspace_, from.ga(), values.size() * sizeof(T), first * sizeof(T)) == 0);
    }

    // Sets element i. Otherwise as write. acp_write_ws.
    void write(std::size_t i, const T &value) { write(i, span<const T>(&value, 1)); }

    // Returns the handle of C. Does not block.
    acp_wsd_t handle() const noexcept { return workspace_; }

private:
    // More elements have a number of bytes that no std::size_t holds.
    static constexpr std::size_t most = std::numeric_limits<std::size_t>::max() / sizeof(T);

    // Throws error unless n elements from element first on are in the workspace. The function of C does the same
    // for bytes, but the offset of a large first in bytes may be that of another element.
    void check(std::size_t first, std::size_t n) const {
        if (first > size_ || n > size_ - first)
            throw error(std::errc::invalid_argument, "the elements are not in the workspace");
    }

    acp_wsd_t workspace_;
    std::size_t size_;
    int exceptions_;
};

} // namespace acp

#endif
