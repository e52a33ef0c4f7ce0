// acp_vector.hpp - arrays of values on one rank that grow and shrink at their end.
//
// A vector is a handle as acp::map is one. While one rank changes a vector, no other rank may use it.
#ifndef GOACP_ACP_VECTOR_HPP
#define GOACP_ACP_VECTOR_HPP

#include "acp_memory.hpp"
#include "acp_sequence.hpp"

#include <optional>

namespace acp {

// An array of T on one rank. T is trivially copyable. It has at most 2^31 - 1 bytes.
template <class T> class vector : public detail::sequence<acp_vector_t> {
    static_assert(std::is_trivially_copyable_v<T>, "vectors have the bytes of values");

public:
    using sequence::sequence;

    // Makes an empty vector on rank. Throws error if there is no such rank or its heap is full. Any process.
    // Blocks for one round trip, or none on one host. acp_create_vector.
    static vector create(int rank) { return vector(made(acp_create_vector(0, rank))); }

    // Frees the vector. Any process. Blocks for one round trip, or none on one host. acp_destroy_vector.
    void destroy() noexcept { acp_destroy_vector(release()); }

    // Returns the number of elements. Any process. Blocks for one round trip, or none on one host.
    // acp_size_vector.
    std::size_t size() const noexcept { return acp_size_vector(handle_) / sizeof(T); }

    // Returns the pointer to element i, or the null pointer if there is none. It is valid until the vector
    // grows. Any process. Blocks for one round trip, or none on one host. acp_at_vector.
    global_ptr<T> at(std::size_t i) const noexcept {
        const int position = offset<T>(i);
        return position >= 0 ? global_ptr<T>(acp_at_vector(handle_, position)) : nullptr;
    }

    // Appends elements. Throws error if the heap is full. Any process. Blocks for one round trip at most.
    // acp_push_back_many_vector.
    void append(span<const T> values) { push(acp_push_back_many_vector, values); }

    // Appends an element. Otherwise as append. acp_push_back_many_vector.
    void push_back(const T &value) { append(span<const T>(&value, 1)); }

    // Removes the last element and returns it, or nothing if there is none. Throws error; code bad_message means
    // that only a part of a T was there, which is removed. Any process. Blocks for one round trip at most.
    // acp_pop_back_many_vector.
    std::optional<T> pop_back() { return pop<T>(acp_pop_back_many_vector); }

    // Removes all elements. Any process. Blocks for one round trip, or none on one host. acp_clear_vector.
    void clear() noexcept { acp_clear_vector(handle_); }
};

} // namespace acp

#endif
