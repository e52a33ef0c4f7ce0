// acp_deque.hpp - arrays of values on one rank that grow and shrink at both ends.
//
// A deque is a handle as acp::map is one. While one rank changes a deque, no other rank may use it.
#ifndef GOACP_ACP_DEQUE_HPP
#define GOACP_ACP_DEQUE_HPP

#include "acp_sequence.hpp"

#include <cstring>
#include <optional>
#include <type_traits>

namespace acp {

// An array of T on one rank. T is trivially copyable. It has at most 2^31 - 1 bytes.
template <class T> class deque : public detail::sequence<acp_deque_t> {
    static_assert(std::is_trivially_copyable_v<T>, "deques have the bytes of values");

public:
    using sequence::sequence;

    // Makes an empty deque on rank. Throws error if there is no such rank or its heap is full. Any process.
    // Blocks for one round trip, or none on one host. acp_create_deque.
    static deque create(int rank) { return deque(made(acp_create_deque(0, rank))); }

    // Frees the deque. Any process. Blocks for one round trip, or none on one host. acp_destroy_deque.
    void destroy() noexcept { acp_destroy_deque(release()); }

    // Returns the number of elements. Any process. Blocks for one round trip, or none on one host.
    // acp_size_deque.
    std::size_t size() const noexcept { return acp_size_deque(handle_) / sizeof(T); }

    // Returns element i, or nothing if there is none. An element may lie in two parts, so there is no pointer to
    // it. Throws error. Any process. Blocks for a few round trips, or none on one host. acp_advance_deque_it,
    // acp_dereference_deque_it.
    std::optional<T> get(std::size_t i) const {
        const int position = offset<T>(i);
        if (position < 0 || i >= size())
            return std::nullopt;
        const acp_deque_it_t it = acp_advance_deque_it(acp_begin_deque(handle_), position);
        const acp_pair_t parts = acp_dereference_deque_it(it, sizeof(T));
        detail::require(parts.first.ga != ACP_GA_NULL);
        const detail::slot to = detail::slot::take(sizeof(T));
        detail::fetch(parts.first, to);
        if (parts.second.size != 0)
            detail::fetch(parts.second, to, parts.first.size);
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

    // Removes the last element and returns it, or nothing if there is none. Throws error; code bad_message means
    // that only a part of a T was there, which is removed. Any process. Blocks for one round trip at most.
    // acp_pop_back_many_deque.
    std::optional<T> pop_back() { return pop<T>(acp_pop_back_many_deque); }

    // Removes the first element. Otherwise as pop_back. acp_pop_front_many_deque.
    std::optional<T> pop_front() { return pop<T>(acp_pop_front_many_deque); }

    // Removes all elements. Any process. Blocks for one round trip, or none on one host. acp_clear_deque.
    void clear() noexcept { acp_clear_deque(handle_); }
};

} // namespace acp

#endif
