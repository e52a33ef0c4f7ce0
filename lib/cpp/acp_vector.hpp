// acp_vector.hpp - arrays of values on one rank that grow and shrink at their end.
//
// A vector is a handle as acp::map is one. While one rank changes a vector, no other rank may use it.
#ifndef GOACP_ACP_VECTOR_HPP
#define GOACP_ACP_VECTOR_HPP

#include "acp_memory.hpp"

#include <cstring>
#include <optional>
#include <utility>

namespace acp {

// An array of T on one rank. T is trivially copyable. It has at most 2^31 - 1 bytes.
template <class T> class vector {
    static_assert(std::is_trivially_copyable_v<T>, "vectors have the bytes of values");

public:
    // Makes a handle of no vector.
    vector() noexcept = default;
    // Makes the handle of a vector of C. Does not block.
    explicit vector(acp_vector_t handle) noexcept : vector_(handle) {}

    // Makes an empty vector on rank. Throws error if there is no such rank or its heap is full. Any process.
    // Blocks for one round trip, or none on one host. acp_create_vector.
    static vector create(int rank) {
        const vector made(acp_create_vector(0, rank));
        detail::require(static_cast<bool>(made));
        return made;
    }

    // Frees the vector. Any process. Blocks for one round trip, or none on one host. acp_destroy_vector.
    void destroy() noexcept { acp_destroy_vector(std::exchange(vector_, acp_vector_t{})); }

    // Reports whether the handle is that of a vector. Does not block.
    explicit operator bool() const noexcept { return vector_.ga != ACP_GA_NULL; }

    // Returns the number of elements. Any process. Blocks for one round trip, or none on one host.
    // acp_size_vector.
    std::size_t size() const noexcept { return acp_size_vector(vector_) / sizeof(T); }

    // Returns the pointer to element i, or the null pointer if there is none. It is valid until the vector
    // grows. Any process. Blocks for one round trip, or none on one host. acp_at_vector.
    global_ptr<T> at(std::size_t i) const noexcept {
        const std::size_t most = static_cast<std::size_t>(std::numeric_limits<int>::max()) / sizeof(T);
        return i < most ? global_ptr<T>(acp_at_vector(vector_, static_cast<int>(i * sizeof(T)))) : nullptr;
    }

    // Appends elements. Throws error if the heap is full. Any process. Blocks for one round trip at most.
    // acp_push_back_many_vector.
    void append(span<const T> values) {
        const std::size_t bytes = values.size() * sizeof(T);
        if (bytes == 0)
            return;
        const detail::slot source = detail::slot::take(bytes);
        std::memcpy(source.at(), values.data(), bytes);
        const acp_element_t element{source.ga(), bytes};
        detail::require(acp_push_back_many_vector(vector_, &element, 1) == 0);
    }

    // Appends an element. Otherwise as append. acp_push_back_many_vector.
    void push_back(const T &value) { append(span<const T>(&value, 1)); }

    // Removes the last element and returns it, or nothing if there is none. Throws error. Any process. Blocks
    // for one round trip at most. acp_pop_back_many_vector.
    std::optional<T> pop_back() {
        const detail::slot to = detail::slot::take(sizeof(T));
        const acp_element_t element{to.ga(), sizeof(T)};
        const std::int64_t got = acp_pop_back_many_vector(vector_, &element, 1);
        detail::require(got >= 0);
        if (got == 0)
            return std::nullopt;
        T value{};
        std::memcpy(&value, to.at(), sizeof value);
        return value;
    }

    // Removes all elements. Any process. Blocks for one round trip, or none on one host. acp_clear_vector.
    void clear() noexcept { acp_clear_vector(vector_); }

    // Returns the handle of C. Does not block.
    acp_vector_t handle() const noexcept { return vector_; }

private:
    acp_vector_t vector_{};
};

} // namespace acp

#endif
