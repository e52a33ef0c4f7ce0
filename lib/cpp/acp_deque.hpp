// acp_deque.hpp - arrays of values on one rank that grow and shrink at both ends.
//
// A deque is a handle as acp::map is one. While one rank changes a deque, no other rank may use it.
#ifndef GOACP_ACP_DEQUE_HPP
#define GOACP_ACP_DEQUE_HPP

#include "acp_memory.hpp"

#include <cstring>
#include <optional>
#include <utility>

namespace acp {

// An array of T on one rank. T is trivially copyable. It has at most 2^31 - 1 bytes.
template <class T> class deque {
    static_assert(std::is_trivially_copyable_v<T>, "deques have the bytes of values");

public:
    // Makes a handle of no deque.
    deque() noexcept = default;
    // Makes the handle of a deque of C. Does not block.
    explicit deque(acp_deque_t handle) noexcept : deque_(handle) {}

    // Makes an empty deque on rank. Throws error if there is no such rank or its heap is full. Any process.
    // Blocks for one round trip, or none on one host. acp_create_deque.
    static deque create(int rank) {
        const deque made(acp_create_deque(0, rank));
        detail::require(static_cast<bool>(made));
        return made;
    }

    // Frees the deque. Any process. Blocks for one round trip, or none on one host. acp_destroy_deque.
    void destroy() noexcept { acp_destroy_deque(std::exchange(deque_, acp_deque_t{})); }

    // Reports whether the handle is that of a deque. Does not block.
    explicit operator bool() const noexcept { return deque_.ga != ACP_GA_NULL; }

    // Returns the number of elements. Any process. Blocks for one round trip, or none on one host.
    // acp_size_deque.
    std::size_t size() const noexcept { return acp_size_deque(deque_) / sizeof(T); }

    // Returns element i, or nothing if there is none. An element may lie in two parts, so there is no pointer to
    // it. Throws error. Any process. Blocks for a few round trips, or none on one host. acp_advance_deque_it,
    // acp_dereference_deque_it.
    std::optional<T> get(std::size_t i) const {
        const std::size_t most = static_cast<std::size_t>(std::numeric_limits<int>::max()) / sizeof(T);
        if (i >= most || i >= size())
            return std::nullopt;
        const acp_deque_it_t it = acp_advance_deque_it(acp_begin_deque(deque_), static_cast<int>(i * sizeof(T)));
        const acp_pair_t parts = acp_dereference_deque_it(it, sizeof(T));
        detail::require(parts.first.ga != ACP_GA_NULL);
        const detail::slot to = detail::slot::take(sizeof(T));
        acp_handle_t handle = acp_copy(to.ga(), parts.first.ga, parts.first.size, ACP_HANDLE_NULL);
        detail::require(handle != ACP_HANDLE_NULL);
        if (parts.second.size != 0) {
            handle = acp_copy(to.ga() + parts.first.size, parts.second.ga, parts.second.size, ACP_HANDLE_NULL);
            detail::require(handle != ACP_HANDLE_NULL);
        }
        do // waits for both, since the copies begin in their order
            acp_complete(handle);
        while (acp_inquire(handle) == 1 && last_error() == std::errc::timed_out);
        T value{};
        std::memcpy(&value, to.at(), sizeof value);
        return value;
    }

    // Appends elements. Throws error if the heap is full. Any process. Blocks for one round trip at most.
    // acp_push_back_many_deque.
    void append(span<const T> values) { push(acp_push_back_many_deque, values); }

    // Puts elements before the first one, in their order. Otherwise as append. acp_push_front_many_deque.
    void prepend(span<const T> values) { push(acp_push_front_many_deque, values); }

    // Appends an element. Otherwise as append. acp_push_back_many_deque.
    void push_back(const T &value) { append(span<const T>(&value, 1)); }

    // Puts an element before the first one. Otherwise as append. acp_push_front_many_deque.
    void push_front(const T &value) { prepend(span<const T>(&value, 1)); }

    // Removes the last element and returns it, or nothing if there is none. Throws error. Any process. Blocks
    // for one round trip at most. acp_pop_back_many_deque.
    std::optional<T> pop_back() { return pop(acp_pop_back_many_deque); }

    // Removes the first element. Otherwise as pop_back. acp_pop_front_many_deque.
    std::optional<T> pop_front() { return pop(acp_pop_front_many_deque); }

    // Removes all elements. Any process. Blocks for one round trip, or none on one host. acp_clear_deque.
    void clear() noexcept { acp_clear_deque(deque_); }

    // Returns the handle of C. Does not block.
    acp_deque_t handle() const noexcept { return deque_; }

private:
    void push(int (*many)(acp_deque_t, const acp_element_t *, int), span<const T> values) {
        const std::size_t bytes = values.size() * sizeof(T);
        if (bytes == 0)
            return;
        const detail::slot source = detail::slot::take(bytes);
        std::memcpy(source.at(), values.data(), bytes);
        const acp_element_t element{source.ga(), bytes};
        detail::require(many(deque_, &element, 1) == 0);
    }

    std::optional<T> pop(std::int64_t (*many)(acp_deque_t, const acp_element_t *, int)) {
        const detail::slot to = detail::slot::take(sizeof(T));
        const acp_element_t element{to.ga(), sizeof(T)};
        const std::int64_t got = many(deque_, &element, 1);
        detail::require(got >= 0);
        if (got == 0)
            return std::nullopt;
        T value{};
        std::memcpy(&value, to.at(), sizeof value);
        return value;
    }

    acp_deque_t deque_{};
};

} // namespace acp

#endif
