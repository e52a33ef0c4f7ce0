// acp_span.hpp - elements of this process that follow each other in memory.
#ifndef GOACP_ACP_SPAN_HPP
#define GOACP_ACP_SPAN_HPP

#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <type_traits>
#include <utility>

namespace acp {

// Elements that follow each other in memory of this process. It does not own them. Arrays, vectors,
// std::array, std::span and all containers with data() and size() convert to it. A span of const elements
// also accepts a list in braces, as an argument of a call. No function of it blocks.
template <class T> class span {
    template <class C> using element = std::remove_pointer_t<decltype(std::data(std::declval<C &>()))>;
    template <class C>
    using fitting = std::enable_if_t<
        std::is_convertible_v<element<C> (*)[], T (*)[]> &&
            std::is_convertible_v<decltype(std::size(std::declval<C &>())), std::size_t>,
        int>;

public:
    using element_type = T;
    using value_type = std::remove_cv_t<T>;

    // Makes a span without elements.
    constexpr span() noexcept = default;
    // Makes a span of size elements.
    constexpr span(T *data, std::size_t size) noexcept : data_(data), size_(size) {}
    // Converts an array or a container of contiguous elements.
    template <class C, fitting<C> = 0>
    constexpr span(C &&elements) noexcept : data_(std::data(elements)), size_(std::size(elements)) {}
    // Converts a list in braces, which exists until the end of the statement.
    template <class U = T, std::enable_if_t<std::is_const_v<U>, int> = 0>
    constexpr span(std::initializer_list<value_type> elements) noexcept
        : span(std::data(elements), elements.size()) {}

    // Returns the first element.
    constexpr T *data() const noexcept { return data_; }
    // Returns the number of elements.
    constexpr std::size_t size() const noexcept { return size_; }
    // Reports whether there are no elements.
    constexpr bool empty() const noexcept { return size_ == 0; }
    // Returns element i. It does not check i.
    constexpr T &operator[](std::size_t i) const noexcept { return data_[i]; }
    // Return the range for loops.
    constexpr T *begin() const noexcept { return data_; }
    constexpr T *end() const noexcept { return data_ + size_; }

private:
    T *data_ = nullptr;
    std::size_t size_ = 0;
};

namespace detail {

// A parameter of type same<T> takes no part in the deduction of T.
template <class T> struct same_as { using type = T; };
template <class T> using same = typename same_as<T>::type;

} // namespace detail
} // namespace acp

#endif
